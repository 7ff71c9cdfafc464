// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/merger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "report/text/string_set.h"
#include "report/write/merged_slices.h"
#include "report/write/merged_tables.h"

/*
 * The model of several recordings as epochs of one. Things that only their own recording tells
 * apart get numbers that are new in the file: processes a generation, and objects without a
 * build-id an instance. So equal numbers of two hosts never meet.
 */

/*
 * An epoch ends when a table has this many elements, which leaves room below the format's limits.
 */
#define ROWS_MAX         (UINT32_C(1) << 18)
#define STACK_FRAMES_MAX (UINT32_C(1) << 20)
#define PAIRS_MAX        (UINT32_C(1) << 17)
#define STRING_BYTES_MAX (UINT32_C(4) << 20)
#define SLICES_MAX       (UINT32_C(1) << 19)

/* The epoch that is being made. */
struct merged_epoch {
	struct merged_tables tables;
	struct merged_slices slices;
	const struct merged_span *span;
	struct prof_writer *writer;
};

static bool is_full(const struct merged_epoch *m)
{
	const struct merged_tables *t = &m->tables;

	return m->slices.out.nr >= SLICES_MAX || t->out_counts.nr >= ROWS_MAX ||
	       t->out_stack_frames.nr >= STACK_FRAMES_MAX || t->pairs.nr >= PAIRS_MAX ||
	       t->string_bytes >= STRING_BYTES_MAX;
}

static int write_epoch(struct merged_epoch *m)
{
	struct prof_epoch epoch;
	int ret = merged_tables_finish(&m->tables, &epoch);

	if (ret)
		return ret;
	merged_slices_finish(&m->slices, &epoch);
	epoch.begin_ns = m->span->begin_ns;
	epoch.end_ns = m->span->end_ns;
	return prof_writer_epoch(m->writer, &epoch);
}

static int put_row(struct merged_epoch *m, uint32_t row)
{
	int ret = merged_tables_put(&m->tables, &m->tables.model->rows.data[row]);

	return ret ? ret : merged_slices_put(&m->slices, row, m->tables.out_counts.nr - 1);
}

static int write_rows(struct merged_epoch *m)
{
	int ret = 0;

	for (size_t i = 0; i < m->tables.model->rows.nr && !ret; i++) {
		ret = put_row(m, i);
		if (ret || !is_full(m))
			continue;
		ret = write_epoch(m);
		merged_slices_begin(&m->slices);
		if (!ret)
			ret = merged_tables_begin(&m->tables);
	}
	if (!ret && m->tables.out_counts.nr)
		ret = write_epoch(m);
	return ret;
}

/*
 * Writes the rows of @model, which model_finish has completed and which keeps slots, as epochs of
 * @span. Time 0 of the model is the begin of @span. Large models become several epochs. Takes
 * numbers from @span. Returns 0, -ENOMEM, -EOVERFLOW if the numbers run out, or the error of the
 * writer.
 */
static int merged_epochs_write(struct prof_writer *writer, const struct model *model,
			       struct merged_span *span)
{
	struct merged_epoch m = {.span = span, .writer = writer};
	int ret = merged_slices_init(&m.slices, model, span->end_ns - span->begin_ns);

	if (!ret)
		ret = merged_tables_init(&m.tables, model, &span->last_number);
	if (!ret)
		ret = write_rows(&m);
	merged_tables_deinit(&m.tables);
	merged_slices_deinit(&m.slices);
	return ret;
}

/* The description names at most this many hosts. */
#define HOSTS_MAX 16

/* The facts of all descriptions. */
struct descriptions {
	struct string_set hosts;
	struct prof_meta shared; /* the first's, with the filters of all */
	uint32_t nr_recordings;
	uint64_t start_realtime_ns; /* the earliest */
	bool is_same_boot;
};

static int write_text(void *out, const void *buf, size_t len)
{
	textbuf_bytes(out, buf, len);
	return ((struct textbuf *)out)->error;
}

static int write_error(int ret, const struct recording *rec, struct err *err)
{
	const char *reason = ret == -E2BIG ? "its tables are too large" : strerror(-ret);

	return err_set(err, ret, "failed to merge '%s': %s", rec->name, reason);
}

static int note_description(struct descriptions *all, const struct recording *first,
			    const struct recording *rec)
{
	const struct prof_meta *meta = rec->meta;
	uint32_t id;

	if (!all->nr_recordings)
		all->shared = *meta;
	recording_share_filters(&all->shared, meta);
	if (!all->nr_recordings || meta->start_realtime_ns < all->start_realtime_ns)
		all->start_realtime_ns = meta->start_realtime_ns;
	all->is_same_boot &= !strcmp(meta->host.boot_id, first->meta->host.boot_id);
	all->nr_recordings += rec->nr_recordings;
	return string_set_add(&all->hosts, meta->hostname, strlen(meta->hostname), &id);
}

/* Opens recording @name, and notes its description if it has one. */
static int read_description(struct merger *m, struct descriptions *all, const char *name,
			    struct err *err)
{
	const struct timespan everything = {0};
	struct recording rec;
	bool is_first = !m->first.name;
	struct recording *target = is_first ? &m->first : &rec;
	int ret = recording_open(target, name, &everything, NULL);

	/* The second pass names those that cannot be opened. */
	if (ret)
		*target = (struct recording){0};
	if (ret)
		return ret == -ENOMEM ? err_set(err, ret, "failed to merge: out of memory") : 0;
	if (!is_first)
		ret = recording_check_events(&m->first, &rec, err);
	if (!ret && note_description(all, &m->first, target))
		ret = err_set(err, -ENOMEM, "failed to merge: out of memory");
	if (!is_first)
		recording_deinit(&rec);
	return ret;
}

/* Makes the list of the hosts, which the caller frees. */
static int list_hosts(const struct string_set *hosts, char **list)
{
	struct textbuf text = {.fd = -1};
	size_t nr = hosts->items.nr, shown = nr - 1 > HOSTS_MAX ? HOSTS_MAX : nr - 1;

	for (size_t i = 1; i <= shown; i++)
		textbuf_printf(&text, "%s%s", i > 1 ? ", " : "", string_set_get(hosts, i));
	if (shown < nr - 1)
		textbuf_printf(&text, " and %zu others", nr - 1 - shown);
	textbuf_char(&text, '\0');
	if (text.error)
		textbuf_deinit(&text);
	*list = text.data;
	return text.error;
}

static int write_description(struct merger *m, const struct descriptions *all)
{
	struct prof_meta meta = all->shared;
	_cleanup_free_ char *recorder = NULL, *hosts = NULL;

	if (list_hosts(&all->hosts, &hosts))
		return -ENOMEM;
	if (asprintf(&recorder, "%s, merged by profrep " PROFREC_VERSION, meta.recorder) < 0) {
		recorder = NULL;
		return -ENOMEM;
	}
	meta.recorder = recorder;
	meta.hostname = hosts;
	meta.nr_recordings = all->nr_recordings;
	meta.start_realtime_ns = all->start_realtime_ns;
	meta.duration_ns = 0;
	meta.interval_ns = 0;
	if (!all->is_same_boot)
		meta.host.boot_id = "";
	return prof_writer_meta(m->writer, &meta);
}

static int begin_writing(struct merger *m, const struct descriptions *all, struct textbuf *out)
{
	const struct prof_event_end none = {0};
	int ret = prof_writer_create(write_text, out, &m->writer);

	for (uint32_t i = 0; i < m->first.meta->nr_events && !ret; i++)
		ret = vec_push(&m->events, none);
	m->end.events = m->events.data;
	m->end.nr_events = m->events.nr;
	return ret ? ret : write_description(m, all);
}

int merger_begin(struct merger *m, const char *const *names, size_t nr, struct textbuf *out,
		 struct err *err)
{
	struct descriptions all = {.is_same_boot = true};
	int ret;

	*m = (struct merger){0};
	ret = string_set_init(&all.hosts);
	if (ret)
		return err_set(err, ret, "failed to merge: out of memory");
	for (size_t i = 0; i < nr && !ret; i++)
		ret = read_description(m, &all, names[i], err);
	if (!ret && !m->first.name) {
		struct recording rec;

		ret = recording_open(&rec, names[0], &(struct timespan){0}, err);
		if (!ret) {
			recording_deinit(&rec);
			ret = err_set(err, -ENODATA,
				      "failed to merge '%s': it was not there before", names[0]);
		}
		err_hint(err, ret, "none of the %zu recordings can be read", nr);
	} else if (!ret) {
		ret = begin_writing(m, &all, out);
		if (ret)
			write_error(ret, &m->first, err);
	}
	string_set_deinit(&all.hosts);
	return ret;
}

/* A recording without an end has counts that no end record tells. */
static void count_rest(struct merger *m, const struct recording *batch)
{
	uint64_t total = batch->model.totals[0], counted = batch->sums.counted;

	if (batch->meta->nr_events || total <= counted)
		return;
	m->end.counted += total - counted;
	m->end.taken += total - counted;
}

int merger_add(struct merger *m, const struct recording *batch, struct err *err)
{
	int ret;

	if (!batch->first)
		return 0;
	/* A file may have changed since its description was read. */
	ret = recording_check_events(&m->first, batch, err);
	if (ret)
		return ret;
	m->span.begin_ns = m->span.end_ns;
	if (__builtin_add_overflow(m->span.begin_ns, batch->length_ns, &m->span.end_ns))
		m->span.end_ns = UINT64_MAX;
	recording_add_end(&m->end, m->events.data, &batch->sums);
	count_rest(m, batch);
	ret = merged_epochs_write(m->writer, &batch->model, &m->span);
	return ret ? write_error(ret, batch, err) : 0;
}

int merger_end(struct merger *m, struct err *err)
{
	int ret = prof_writer_end(m->writer, &m->end);

	return ret ? write_error(ret, &m->first, err) : 0;
}

void merger_deinit(struct merger *m)
{
	prof_writer_destroy(m->writer);
	if (m->first.name)
		recording_deinit(&m->first);
	vec_free(&m->events);
}

static int copy_epochs(struct recording *rec, struct prof_writer *writer, struct err *err)
{
	const struct prof_epoch *epoch;
	int ret, written = prof_writer_meta(writer, rec->meta);

	while (!written && (ret = recording_next(rec, &epoch, err)) == RECORDING_EPOCH)
		written = prof_writer_epoch(writer, epoch);
	if (!written && ret)
		return ret;
	if (!written && rec->end)
		written = prof_writer_end(writer, rec->end);
	return written ? write_error(written, rec, err) : 0;
}

int merger_copy(struct recording *rec, struct textbuf *out, struct err *err)
{
	struct prof_writer *writer = NULL;
	int ret = prof_writer_create(write_text, out, &writer);

	ret = ret ? write_error(ret, rec, err) : copy_epochs(rec, writer, err);
	prof_writer_destroy(writer);
	return ret;
}
