// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/profile_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "common/sort.h"
#include "report/export/otlp_write.h"
#include "report/export/pprof_profile.h"
#include "report/tables/recording_tables.h"
#include "report/tables/table_ids.h"

/* Samples of a row in a window. */
struct cell {
	uint32_t window, series, row;
	uint64_t count;
};

struct window {
	uint64_t begin_ns, end_ns; /* since the start of the recording */
};

struct profile_parts {
	struct printout p;
	const struct model *model;
	const struct profile_taker *taker;
	struct series_set series;
	VEC(struct cell) cells;
	struct window *windows;
	uint32_t *slot_windows, *row_series;
	uint64_t nr_parts; /* of the current series and window */
	struct textbuf packed;
};

uint32_t slots_divide(const struct model_slot *slots, size_t nr, uint32_t *windows)
{
	uint64_t begin_ns = 0;
	uint32_t nr_windows = 0;

	for (size_t i = 0; i < nr; i++) {
		/* Times in a file can be anything, also go back. */
		bool is_new = !nr_windows || slots[i].begin_ns < begin_ns ||
			      slots[i].end_ns - begin_ns > PROFILE_NS_MAX;

		if (is_new) {
			begin_ns = slots[i].begin_ns;
			nr_windows++;
		}
		windows[i] = nr_windows - 1;
	}
	return nr_windows;
}

/* The time of a window is that of its slots with samples. */
static void widen(struct window *window, const struct model_slot *slot)
{
	if (!window->end_ns) {
		*window = (struct window){slot->begin_ns, slot->end_ns};
		return;
	}
	window->begin_ns = min_u64(window->begin_ns, slot->begin_ns);
	window->end_ns = max_u64(window->end_ns, slot->end_ns);
}

static int find_series(struct profile_parts *x)
{
	for (size_t i = 0; i < x->model->rows.nr; i++) {
		int ret = series_set_add(&x->series, x->model, x->model->rows.data[i].process,
					 &x->row_series[i]);

		if (ret)
			return ret;
	}
	return 0;
}

static int add_cells(struct profile_parts *x)
{
	const struct model *model = x->model;

	slots_divide(model->slots.data, model->slots.nr, x->slot_windows);
	vec_for_each(&model->slot_counts, part) {
		const struct cell cell = {x->slot_windows[part->slot], x->row_series[part->row],
					  part->row, part->count};

		if (model->rows.data[part->row].event != x->p.view->event)
			continue;
		widen(&x->windows[cell.window], &model->slots.data[part->slot]);
		if (vec_push(&x->cells, cell))
			return -ENOMEM;
	}
	return 0;
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	COMPARE(x->window, y->window);
	COMPARE(x->series, y->series);
	COMPARE(x->row, y->row);
	return 0;
}

/*
 * Makes a UUID of the facts that make the profile what it is, by version 8 of RFC 9562. So whoever
 * looks at the requests sees that a profile came twice.
 */
static void make_id(const struct profile_parts *x, struct profile_part *part,
		    const struct cell *cell)
{
	uint64_t base = recording_id(x->p.rec->meta, x->p.view->event);
	uint64_t begin_ns = x->windows[cell->window].begin_ns;
	uint64_t high, low;

	base = series_id(&x->series, cell->series, base);
	base = table_id_u64(x->nr_parts, table_id_u64(begin_ns, base));
	high = table_id_u64(1, base);
	low = table_id_u64(2, base);
	snprintf(part->id, sizeof(part->id),
		 "%08" PRIx64 "-%04" PRIx64 "-8%03" PRIx64 "-%04" PRIx64 "-%012" PRIx64, high >> 32,
		 high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000,
		 low & 0xffffffffffff);
}

/* The time of the next part: parts of one series and one time would be taken for one profile. */
static uint64_t begin_of(const struct profile_parts *x, const struct cell *cell)
{
	return x->p.rec->meta->start_realtime_ns + x->windows[cell->window].begin_ns +
	       x->nr_parts * NS_PER_MS;
}

static uint64_t duration_of(const struct profile_parts *x, const struct cell *cell)
{
	return x->windows[cell->window].end_ns - x->windows[cell->window].begin_ns;
}

static struct stack_row row_of(const struct profile_parts *x, const struct cell *cell)
{
	struct rows_summary seen = {0};

	return stack_row_show(x->model, x->p.view, &x->model->rows.data[cell->row], &seen);
}

/*
 * Packs a profile of @cells, at most *@nr. Sets *@nr to the number of cells in it. Returns -E2BIG
 * if it is larger than a receiver takes.
 */
static int pack_pprof(struct profile_parts *x, const struct cell *cells, size_t *nr)
{
	struct pprof_profile profile;
	size_t i = 0;
	int ret = pprof_profile_init(&profile);

	profile.adds_up = profile.tables.names_all = true;
	profile.time_ns = begin_of(x, cells);
	profile.duration_ns = duration_of(x, cells);
	pprof_profile_add_cpu(&profile, x->p.rec->meta, x->p.view->event);
	if (!ret)
		ret = profile.tables.scratch.error;
	for (; i < *nr && profile.samples.nr < PROFILE_SAMPLES_MAX && !ret; i++) {
		const struct stack_row row = row_of(x, &cells[i]);

		ret = pprof_profile_add_request(&profile, &x->p, row.label_set, true);
		if (!ret)
			ret = pprof_profile_add(&profile, &x->p, &row, cells[i].count, false);
	}
	*nr = i;
	if (!ret)
		ret = pprof_profile_pack(&profile, PROFILE_BYTES_MAX, &x->packed);
	pprof_profile_deinit(&profile);
	return ret;
}

/* As pack_pprof. */
static int pack_otlp(struct profile_parts *x, const struct cell *cells, size_t *nr)
{
	struct otlp_collected collected;
	size_t i = 0;
	int ret = otlp_collected_init(&collected);

	collected.frames.names_all = true;
	collected.labels = x->taker->labels;
	collected.time_ns = begin_of(x, cells);
	collected.duration_ns = duration_of(x, cells);
	for (; i < *nr && collected.samples.nr < PROFILE_SAMPLES_MAX && !ret; i++) {
		const struct stack_row row = row_of(x, &cells[i]);

		ret = otlp_collect(&collected, &x->p, &row, cells[i].count, 0);
	}
	*nr = i;
	if (!ret)
		ret = otlp_write(&collected, &x->p, &x->packed);
	otlp_collected_deinit(&collected);
	return !ret && x->packed.nr > PROFILE_BYTES_MAX ? -E2BIG : ret;
}

/* A sum of times or of bytes says nothing about a number. */
static bool counts_events(const struct prof_meta *meta, uint32_t event)
{
	return event_is_sampled(meta, event) ||
	       (event_has_hits(meta, event) && !event_weight(meta, event)[0]);
}

/* Adds the samples or hits of the cells in the profile to *@nr_samples. */
static int pack_profile(struct profile_parts *x, const struct cell *cells, size_t *nr,
			uint64_t *nr_samples)
{
	const struct prof_meta *meta = x->p.rec->meta;
	uint32_t event = x->p.view->event;
	int ret;

	x->packed.nr = 0;
	ret = x->taker->format == PROFILE_OTLP ? pack_otlp(x, cells, nr) : pack_pprof(x, cells, nr);
	for (size_t i = 0; i < *nr && counts_events(meta, event); i++)
		*nr_samples += event_samples(meta, event, cells[i].count);
	return ret ? ret : x->packed.error;
}

static int take(struct profile_parts *x, const struct cell *cell, uint64_t nr_samples)
{
	struct profile_part part = {
		.service = series_service(&x->series, cell->series),
		.cgroup = series_cgroup(&x->series, cell->series),
		.packed = &x->packed,
		.nr_samples = nr_samples,
		.begin_ns = begin_of(x, cell),
	};

	for (enum cgroup_part i = 0; i < NR_CGROUP_PARTS; i++)
		part.cgroup_parts[i] = series_cgroup_part(&x->series, cell->series, i);
	for (enum prof_attribute i = PROF_ATTRIBUTE_SERVICE + 1; i < PROF_NR_ATTRIBUTES; i++)
		part.attributes[i] = series_attribute(&x->series, cell->series, i);
	make_id(x, &part, cell);
	x->nr_parts++;
	return x->taker->take(x->taker->ctx, &part);
}

/*
 * Hands over @nr @cells of one series and one window, in several profiles if they are too many. Of
 * one that is too large, the first half is tried next, so that a single large stack is left alone.
 */
static int make_parts(struct profile_parts *x, const struct cell *cells, size_t nr)
{
	size_t limit = nr;
	int ret = 0;

	for (size_t i = 0, taken; i < nr && !ret; i += taken) {
		uint64_t nr_samples = 0;

		taken = min_u64(nr - i, limit);
		ret = pack_profile(x, cells + i, &taken, &nr_samples);
		if (!ret) {
			ret = take(x, cells + i, nr_samples);
		} else if (ret == -E2BIG && taken == 1) {
			ret = x->taker->leave_out(x->taker->ctx, nr_samples);
			limit = nr;
		} else if (ret == -E2BIG) {
			ret = 0;
			limit = taken / 2;
			taken = 0;
		}
	}
	return ret;
}

static int make_all(struct profile_parts *x)
{
	size_t end;
	int ret = 0;

	sort_items(x->cells.data, x->cells.nr, sizeof(*x->cells.data), compare_cells);
	for (size_t i = 0; i < x->cells.nr && !ret; i = end) {
		const struct cell *first = &x->cells.data[i];

		for (end = i + 1; end < x->cells.nr; end++)
			if (x->cells.data[end].window != first->window ||
			    x->cells.data[end].series != first->series)
				break;
		x->nr_parts = 0;
		ret = make_parts(x, first, end - i);
	}
	return ret;
}

int profile_parts_make(struct source *source, const struct profile_taker *taker,
		       struct rows_summary *summary)
{
	const struct model *model = &source->rec.model;
	_cleanup_free_ struct window *windows = calloc(model->slots.nr + 1, sizeof(*windows));
	_cleanup_free_ uint32_t *slot_windows = calloc(model->slots.nr + 1, sizeof(*slot_windows));
	_cleanup_free_ uint32_t *row_series = calloc(model->rows.nr + 1, sizeof(*row_series));
	struct profile_parts x = {
		.p = source_printout(source, NULL),
		.model = model,
		.taker = taker,
		.windows = windows,
		.slot_windows = slot_windows,
		.row_series = row_series,
		.packed.fd = -1,
	};
	int ret = windows && slot_windows && row_series ? series_set_init(&x.series) : -ENOMEM;

	if (!ret)
		ret = find_series(&x);
	if (!ret)
		ret = add_cells(&x);
	if (!ret)
		ret = make_all(&x);
	/* Slots and parts would count a stack more than once. */
	for (size_t i = 0; i < model->rows.nr && !ret; i++)
		if (model->rows.data[i].event == x.p.view->event)
			stack_row_show(model, x.p.view, &model->rows.data[i], summary);
	series_set_deinit(&x.series);
	vec_free(&x.cells);
	textbuf_deinit(&x.packed);
	return ret;
}
