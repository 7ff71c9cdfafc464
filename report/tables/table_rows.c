// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/table_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "report/model/event_choice.h"
#include "report/tables/slice_times.h"

/* Room for ids: 64 MiB and twice 8 MiB, of which a few recordings use little. */
#define STACK_SLOTS ((size_t)1 << 23)
#define FRAME_SLOTS ((size_t)1 << 20)

/* Symbols and frames that are kept to the end, some 100 bytes each. */
#define KEPT_SLOTS ((size_t)1 << 18)

const char *const table_files[NR_TABLES] = {
	[TABLE_RECORDINGS] = "recordings.tsv.zst", [TABLE_SAMPLES] = "samples.tsv.zst",
	[TABLE_STACKS] = "stacks.tsv.zst",         [TABLE_FRAMES] = "frames.tsv.zst",
	[TABLE_SYMBOLS] = "symbols.tsv.zst",
};

int table_rows_init(struct table_rows *rows, const int *fds)
{
	int ret;

	*rows = (struct table_rows){.fds = fds};
	ret = id_set_init(&rows->known.stacks, STACK_SLOTS);
	if (!ret)
		ret = id_set_init(&rows->known.frames, FRAME_SLOTS);
	if (!ret)
		ret = id_set_init(&rows->known.names, FRAME_SLOTS);
	if (!ret)
		ret = id_set_init(&rows->kept, KEPT_SLOTS);
	if (!ret)
		ret = recording_tables_init(&rows->rest, &rows->known);
	for (int i = 0; i < NR_TABLES && !ret; i++)
		ret = packed_rows_init(&rows->rows[i]);
	return ret;
}

void table_rows_deinit(struct table_rows *rows)
{
	id_set_deinit(&rows->known.stacks);
	id_set_deinit(&rows->known.frames);
	id_set_deinit(&rows->known.names);
	id_set_deinit(&rows->kept);
	recording_tables_deinit(&rows->rest);
	for (int i = 0; i < NR_TABLES; i++)
		packed_rows_deinit(&rows->rows[i]);
	demangler_account_deinit(&rows->demangling);
}

static int take_frames(struct table_rows *rows, const struct recording_tables *tables)
{
	struct packed_rows *to = &rows->rows[TABLE_FRAMES];
	size_t start = 0;
	int ret = 0;

	vec_for_each(&tables->new_frames, frame) {
		if (!ret && id_set_add(&rows->known.frames, frame->id)) {
			textbuf_bytes(&to->text, tables->frame_rows.data + start,
				      frame->end - start);
			ret = packed_rows_next(to);
		}
		start = frame->end;
	}
	return ret;
}

static void put_stack(struct textbuf *out, uint64_t id, const uint64_t *frames, size_t nr)
{
	textbuf_u64(out, id);
	textbuf_str(out, "\t[");
	for (size_t i = 0; i < nr; i++) {
		if (i)
			textbuf_char(out, ',');
		textbuf_u64(out, frames[i]);
	}
	textbuf_str(out, "]\n");
}

static int take_stacks(struct table_rows *rows, const struct recording_tables *tables)
{
	struct packed_rows *to = &rows->rows[TABLE_STACKS];
	size_t start = 0;
	int ret = 0;

	vec_for_each(&tables->new_stacks, stack) {
		if (!ret && id_set_add(&rows->known.stacks, stack->id)) {
			put_stack(&to->text, stack->id, tables->stack_frames.data + start,
				  stack->end - start);
			ret = packed_rows_next(to);
		}
		start = stack->end;
	}
	return ret;
}

/*
 * Returns true if the name is in the table, or a better one. An earlier recording may have that.
 * Whether this recording kept its own then depends on the threads, so no row shows it.
 */
static bool is_named(const struct table_rows *rows, const struct new_name *name)
{
	return id_set_has(&rows->known.names, name->row.id) ||
	       id_set_has(&rows->known.names, name->better);
}

static int take_names(struct table_rows *rows, struct recording_tables *tables)
{
	struct packed_rows *to = &rows->rows[TABLE_SYMBOLS];
	struct string_set *names = &tables->names;
	_cleanup_free_ uint32_t *ids = calloc(names->items.nr, sizeof(*ids));
	size_t start = 0;
	int ret = ids ? demangler_run(names, ids, &rows->demangling) : -ENOMEM;

	vec_for_each(&tables->new_names, name) {
		if (!ret && !is_named(rows, name)) {
			const struct string *text = &names->items.data[ids[name->name]];

			id_set_add(&rows->known.names, name->row.id);
			textbuf_bytes(&to->text, tables->name_rows.data + start,
				      name->name_at - start);
			textbuf_escaped(&to->text, text->s, text->len, TEXT_FIELD);
			textbuf_bytes(&to->text, tables->name_rows.data + name->name_at,
				      name->row.end - name->name_at);
			ret = packed_rows_next(to);
		}
		start = name->row.end;
	}
	return ret;
}

int table_rows_take(struct table_rows *rows, struct recording_tables *tables, enum table *table)
{
	int ret = packed_rows_pack(&tables->samples, true);

	if (!ret)
		ret = recorded_names_give(&tables->recorded, &rows->rest.recorded,
					  &rows->known.names, &rows->kept);
	if (!ret)
		ret = take_frames(rows, tables);
	if (!ret)
		ret = take_stacks(rows, tables);
	if (!ret)
		ret = take_names(rows, tables);
	for (*table = 0; *table < NR_TABLES && !ret; ++*table) {
		struct bytes *packed = *table == TABLE_SAMPLES ? &tables->samples.packed
							       : &rows->rows[*table].packed;

		ret = io_write_all(rows->fds[*table], packed->data, packed->nr);
		bytes_clear(packed);
		if (ret)
			return ret;
	}
	return ret ? ret : recording_tables_clear(tables);
}

static void put_number(struct textbuf *out, uint64_t number)
{
	textbuf_u64(out, number);
	textbuf_char(out, '\t');
}

/* What a recording counts. */
struct event_facts {
	const char *name, *weight, *unit;
	uint64_t taken, counted, lost;
};

static uint64_t sum_of_losses(const struct prof_end *end)
{
	uint64_t sum = 0;

	for (int i = 0; i < PROF_NR_LOSSES; i++)
		sum += end->lost[i];
	return sum;
}

static struct event_facts facts_of(const struct recording *rec, uint32_t i)
{
	static const char *const units[PROF_NR_EVENT_UNITS] = {"hits", "ns", "bytes", "number"};
	const struct prof_end *end = rec->end;
	struct event_facts facts = {rec->meta->event, "", "samples", 0, 0, 0};

	if (rec->meta->nr_events) {
		const struct prof_event *event = &rec->meta->events[i];

		facts.name = event->name;
		facts.weight = event->weight;
		if (event->kind != PROF_EVENT_SAMPLES || event->unit != PROF_UNIT_EVENTS)
			facts.unit = units[event->unit];
	}
	if (end && i < end->nr_events) {
		const struct prof_event_end *e = &end->events[i];

		facts.taken = e->taken;
		facts.counted = e->counted;
		facts.lost = e->taken - e->counted;
	} else if (end) {
		facts.taken = end->taken;
		facts.counted = end->counted;
		facts.lost = sum_of_losses(end);
	}
	return facts;
}

static void put_event(struct textbuf *out, const struct event_facts *facts)
{
	textbuf_escaped(out, facts->name, strlen(facts->name), TEXT_FIELD);
	if (facts->weight[0])
		textbuf_char(out, ' ');
	packed_rows_field(out, facts->weight);
	packed_rows_field(out, facts->unit);
}

/* Returns the samples in a second of CPU time; those of a clock by period have them, too. */
static uint64_t samples_per_second(const struct prof_meta *meta, uint32_t event)
{
	uint64_t hz = event_hz(meta, event), ns = event_sample_ns(meta, event);

	return hz || !ns || event_samples(meta, event, ns) != ns ? hz : (NS_PER_S + ns / 2) / ns;
}

static void put_recording(struct textbuf *out, const struct recording *rec,
			  const struct recording_tables *tables, uint32_t event)
{
	const struct prof_meta *meta = rec->meta;
	const struct event_facts facts = facts_of(rec, event);
	const struct prof_epoch start = {0};

	put_number(out, recording_id(meta, event));
	packed_rows_field(out, meta->hostname);
	packed_rows_field(out, meta->host.boot_id);
	packed_rows_field(out, meta->kernel_release);
	put_event(out, &facts);
	put_number(out, samples_per_second(meta, event));
	put_number(out, meta->nr_cpus);
	slice_time_put(out, slice_time_make(meta, &start, 0, 0).begin_ms);
	textbuf_char(out, '\t');
	put_number(out, (rec->end ? rec->end->duration_ns : tables->end_ns) / NS_PER_MS);
	put_number(out, rec->end ? facts.taken : tables->sums[event]);
	put_number(out, rec->end ? facts.counted : tables->sums[event]);
	put_number(out, facts.lost);
	put_number(out, tables->sums[event]);
	textbuf_str(out, rec->end ? "0\n" : "1\n");
}

int table_rows_add_recording(struct table_rows *rows, const struct recording *rec,
			     const struct recording_tables *tables)
{
	struct packed_rows *to = &rows->rows[TABLE_RECORDINGS];
	uint32_t nr = rec->meta->nr_events ? rec->meta->nr_events : 1;
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i++) {
		put_recording(&to->text, rec, tables, i);
		ret = packed_rows_next(to);
	}
	return ret;
}

int table_rows_end(struct table_rows *rows, enum table *table)
{
	int ret = recording_tables_finish(&rows->rest);

	if (!ret)
		ret = take_names(rows, &rows->rest);
	for (*table = 0; *table < NR_TABLES && !ret; ++*table) {
		if (*table != TABLE_SAMPLES)
			ret = packed_rows_pack(&rows->rows[*table], true);
		if (!ret)
			ret = packed_rows_write(&rows->rows[*table], rows->fds[*table]);
		if (ret)
			return ret;
	}
	return ret;
}
