// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "report/demangle/short_name.h"
#include "report/view/folded_stack.h"
#include "report/view/owner.h"

/* More slices than this are put together. */
#define SLICES_MAX 4096
/* Counts of all keys in all slices: 128 MiB. */
#define COUNTS_MAX (1u << 24)

/* Returns the number of the slice, the interval or the epoch that @slot is in. */
static uint64_t slot_number(const struct recording *rec, uint32_t slot)
{
	uint64_t interval_ns = rec->model.nr_sliced_epochs ? 0 : rec->meta->interval_ns;

	return interval_ns ? rec->model.slots.data[slot].begin_ns / interval_ns : slot;
}

/* Returns the number after that of the last slot. */
static uint64_t nr_numbers(const struct recording *rec)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rec->model.slots.nr; i++)
		if (slot_number(rec, i) >= most)
			most = slot_number(rec, i) + 1;
	return most;
}

/* Returns the slice of slot @slot of @rec. */
static size_t tally_slices_find(const struct tally_slices *slices, const struct recording *rec,
				uint32_t slot)
{
	uint64_t number = slot_number(rec, slot);

	return slices->nr_numbers <= slices->nr
		       ? number
		       : (unsigned __int128)number * slices->nr / slices->nr_numbers;
}

static void fill_lengths(struct tally_slices *slices, const struct recording *rec)
{
	double sum = 0;

	for (size_t i = 0; i < rec->model.slots.nr; i++) {
		const struct model_slot *slot = &rec->model.slots.data[i];
		double ns = slot->end_ns - slot->begin_ns;

		slices->lengths[tally_slices_find(slices, rec, i)] += ns;
		sum += ns;
	}
	for (size_t i = 0; i < slices->nr && sum > 0; i++)
		slices->lengths[i] /= sum;
}

/*
 * Makes the slices of @rec for @nr_keys keys, with all counts 0, and the totals of @event. Puts
 * slices together if there are too many counts to keep. Returns 0 or -ENOMEM.
 */
static int tally_slices_init(struct tally_slices *slices, const struct recording *rec,
			     uint32_t event, size_t nr_keys)
{
	const struct model *model = &rec->model;
	uint64_t nr = nr_numbers(rec);

	*slices = (struct tally_slices){
		.nr = min_u64(min_u64(nr, SLICES_MAX), COUNTS_MAX / max_u64(nr_keys, 1)),
		.nr_numbers = nr,
		.nr_keys = nr_keys,
	};
	if (!slices->nr)
		return 0;
	slices->counts = calloc(nr_keys * slices->nr, sizeof(*slices->counts));
	slices->totals = calloc(slices->nr, sizeof(*slices->totals));
	slices->lengths = calloc(slices->nr, sizeof(*slices->lengths));
	if (!slices->counts || !slices->totals || !slices->lengths)
		return -ENOMEM;
	fill_lengths(slices, rec);
	vec_for_each(&model->slot_counts, part)
		if (model->rows.data[part->row].event == event)
			slices->totals[tally_slices_find(slices, rec, part->slot)] += part->count;
	vec_for_each(&model->slots_left_out, part)
		if (part->event == event)
			slices->totals[tally_slices_find(slices, rec, part->slot)] += part->count;
	return 0;
}

static void tally_slices_deinit(struct tally_slices *slices)
{
	free(slices->counts);
	free(slices->totals);
	free(slices->lengths);
	*slices = (struct tally_slices){0};
}

#define CLONE " [clone ."

const char *const tally_by_words[NR_TALLY_BY + 1] = {
	[TALLY_FUNCTIONS] = "function", [TALLY_STACKS] = "stack",         [TALLY_FILES] = "dso",
	[TALLY_CGROUPS] = "cgroup",     [TALLY_CONTAINERS] = "container", [TALLY_PODS] = "pod",
	[TALLY_UNITS] = "unit",         [TALLY_SERVICES] = "service",
};

int tally_init(struct tally *tally, enum tally_by by, size_t nr_recordings)
{
	*tally = (struct tally){.by = by, .nr_recordings = nr_recordings, .text.fd = -1};
	tally->slices = calloc(nr_recordings + 1, sizeof(*tally->slices));
	return tally->slices ? string_set_init(&tally->keys) : -ENOMEM;
}

void tally_deinit(struct tally *tally)
{
	string_set_deinit(&tally->keys);
	vec_free(&tally->counts);
	vec_free(&tally->counted_rows);
	textbuf_deinit(&tally->text);
	free(tally->frame_keys);
	for (size_t i = 0; tally->slices && i < tally->nr_recordings; i++)
		tally_slices_deinit(&tally->slices[i]);
	free(tally->slices);
}

size_t tally_name_length(const char *text, size_t len)
{
	const char *clone = memmem(text, len, CLONE, strlen(CLONE));

	if (clone && clone > text && text[len - 1] == ']')
		return clone - text;
	/* "main.(*T).cold" of Go is a method, and no part of a function. */
	return memchr(text, '(', len) ? len : short_name_length(text, len);
}

/* Returns the key of the first @len bytes of the scratch text, or a negative errno in @*key. */
static int find_key(struct tally *tally, size_t len, uint32_t *key)
{
	int ret = tally->text.error;

	if (!ret)
		ret = string_set_add(&tally->keys, len ? tally->text.data : "", len, key);
	while (!ret && tally->counted_rows.nr < tally->keys.items.nr) {
		ret = vec_push(&tally->counted_rows, 0);
		for (size_t i = 0; i < tally->nr_recordings && !ret; i++)
			ret = vec_push(&tally->counts, 0);
	}
	return ret;
}

/* Adds @row to @key, unless the row has counted for the key already. */
static void count_row(struct tally *tally, uint32_t key, const struct stack_row *row)
{
	if (tally->counted_rows.data[key] == tally->nr_rows)
		return;
	tally->counted_rows.data[key] = tally->nr_rows;
	if (tally->slice != SIZE_MAX) {
		struct tally_slices *slices = &tally->slices[tally->recording];

		slices->counts[key * slices->nr + tally->slice] += row->count;
		return;
	}
	tally->counts.data[key * tally->nr_recordings + tally->recording] += row->count;
}

static int count_text(struct tally *tally, size_t len, const struct stack_row *row)
{
	uint32_t key;
	int ret = find_key(tally, len, &key);

	if (!ret)
		count_row(tally, key, row);
	return ret;
}

bool tally_find_function(const struct tally *tally, const char *text, uint32_t *key)
{
	size_t len = strlen(text);

	return string_set_find(&tally->keys, text, len ? tally_name_length(text, len) : 0, key);
}

/* Counts one of the @nr functions at a frame. Only that of a frame without inlines is kept. */
static int count_part(struct tally *tally, uint32_t frame, enum frame_place place, uint32_t part,
		      uint32_t nr, const struct stack_row *row)
{
	uint32_t once = 0;
	uint32_t *key =
		nr == 1 ? &tally->frame_keys[(size_t)frame * NR_FRAME_PLACES + place] : &once;

	if (!*key) {
		size_t len;
		int ret;

		tally->text.nr = 0;
		labels_part(tally->from->labels, &tally->text, frame, place, part);
		len = tally->text.nr;
		if (len)
			len = tally_name_length(tally->text.data, len);
		ret = find_key(tally, len, key);
		if (ret)
			return ret;
	}
	count_row(tally, *key, row);
	return 0;
}

/* Counts the function at a frame, and with --inlines those that were inlined there. */
static int count_frame(struct tally *tally, uint32_t frame, enum frame_place place,
		       const struct stack_row *row)
{
	uint32_t nr = labels_nr_parts(tally->from->labels, frame, place);
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = count_part(tally, frame, place, i, nr, row);
	return ret;
}

static int count_functions(struct tally *tally, const struct stack_row *row)
{
	const struct row_side *sides[] = {&row->user, &row->kernel};

	for (size_t s = 0; s < ARRAY_SIZE(sides); s++) {
		for (uint32_t i = 0; i < sides[s]->nr; i++) {
			int ret = count_frame(tally, sides[s]->frames[i],
					      i ? FRAME_CALLER : FRAME_LEAF, row);

			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Takes the suffixes of parts and copies off each frame of the folded stack in the scratch text. */
static void strip_frames(struct textbuf *text)
{
	size_t nr = 0;

	for (size_t i = 0; i < text->nr;) {
		const char *end = memchr(text->data + i, ';', text->nr - i);
		size_t len = end ? (size_t)(end - text->data) - i : text->nr - i;
		/* The first is the name of the thread. */
		size_t kept = i ? tally_name_length(text->data + i, len) : len;

		memmove(text->data + nr, text->data + i, kept);
		nr += kept;
		if (end)
			text->data[nr++] = ';';
		i += len + 1;
	}
	text->nr = nr;
}

static int count_stack(struct tally *tally, const struct stack_row *row)
{
	tally->text.nr = 0;
	print_folded_stack(tally->from, &tally->text, row);
	strip_frames(&tally->text);
	return count_text(tally, tally->text.nr, row);
}

static int count_file(struct tally *tally, const struct stack_row *row)
{
	const struct model *model = &tally->from->rec->model;
	const struct row_side *leaf = row->kernel.nr ? &row->kernel : &row->user;
	const char *name =
		leaf->nr ? model_object_base(model, model->frames.data[leaf->frames[0]].object)
			 : "";

	tally->text.nr = 0;
	textbuf_escaped(&tally->text, name[0] ? name : "[unknown]",
			strlen(name[0] ? name : "[unknown]"), TEXT_PLAIN);
	return count_text(tally, tally->text.nr, row);
}

static int count_owner(struct tally *tally, const struct stack_row *row)
{
	static const enum owner owners[NR_TALLY_BY] = {
		[TALLY_CGROUPS] = OWNER_CGROUP,   [TALLY_CONTAINERS] = OWNER_CONTAINER,
		[TALLY_PODS] = OWNER_POD,         [TALLY_UNITS] = OWNER_UNIT,
		[TALLY_SERVICES] = OWNER_SERVICE,
	};

	tally->text.nr = 0;
	owner_put_safe(&tally->from->rec->model, row->process, owners[tally->by], "[unknown]",
		       &tally->text);
	return count_text(tally, tally->text.nr, row);
}

static int count_one(void *ctx, const struct stack_row *row)
{
	static int (*const counters[])(struct tally * tally, const struct stack_row *row) = {
		[TALLY_FUNCTIONS] = count_functions, [TALLY_STACKS] = count_stack,
		[TALLY_FILES] = count_file,          [TALLY_CGROUPS] = count_owner,
		[TALLY_CONTAINERS] = count_owner,    [TALLY_PODS] = count_owner,
		[TALLY_UNITS] = count_owner,         [TALLY_SERVICES] = count_owner,
	};
	struct tally *tally = ctx;

	if (++tally->nr_rows == 0)
		return -EOVERFLOW;
	return counters[tally->by](tally, row);
}

/* Counts the parts of rows once more, by slices. All keys are known by now. */
static int count_slices(struct tally *tally)
{
	const struct printout *p = tally->from;
	const struct model *model = &p->rec->model;
	struct tally_slices *slices = &tally->slices[tally->recording];
	int ret = tally_slices_init(slices, p->rec, p->view->event, tally->keys.items.nr);

	for (size_t i = 0; i < model->slot_counts.nr && slices->nr && !ret; i++) {
		const struct model_slot_count *part = &model->slot_counts.data[i];
		struct prof_count count = model->rows.data[part->row];
		struct rows_summary ignored = {0};
		struct stack_row row;

		if (count.event != p->view->event)
			continue;
		count.count = part->count;
		row = stack_row_show(model, p->view, &count, &ignored);
		tally->slice = tally_slices_find(slices, p->rec, part->slot);
		ret = count_one(tally, &row);
	}
	return ret;
}

int tally_add(struct tally *tally, const struct printout *p, size_t recording,
	      struct rows_summary *summary)
{
	struct rows_summary seen = {0};
	int ret;

	tally->from = p;
	tally->recording = recording;
	tally->slice = SIZE_MAX;
	tally->frame_keys =
		calloc(p->rec->model.frames.nr * NR_FRAME_PLACES + 1, sizeof(*tally->frame_keys));
	if (!tally->frame_keys)
		return -ENOMEM;
	ret = printout_visit(p, count_one, tally, &seen);
	if (!ret && p->rec->model.keeps_slots)
		ret = count_slices(tally);
	free(tally->frame_keys);
	tally->frame_keys = NULL;
	rows_summary_add(summary, &seen);
	return ret;
}
