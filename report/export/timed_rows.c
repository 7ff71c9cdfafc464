// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/timed_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"

typedef VEC(struct model_slot_count) slot_count_vec;

static int compare_parts(const void *pa, const void *pb, void *ctx)
{
	const struct model_slot_count *a = pa, *b = pb;
	const struct model *model = ctx;
	const struct model_slot *x = &model->slots.data[a->slot], *y = &model->slots.data[b->slot];

	COMPARE(x->begin_ns, y->begin_ns);
	COMPARE(a->slot, b->slot);
	COMPARE(a->row, b->row);
	return 0;
}

/* Collects the parts of the rows of the event, in the order of time. */
static int find_parts(const struct printout *p, slot_count_vec *parts)
{
	const struct model *model = &p->rec->model;

	vec_for_each(&model->slot_counts, part)
		if (model->rows.data[part->row].event == p->view->event && vec_push(parts, *part))
			return -ENOMEM;
	if (parts->nr)
		qsort_r(parts->data, parts->nr, sizeof(*parts->data), compare_parts, (void *)model);
	return 0;
}

/* What counts in the slot of part @i and after it. */
static uint64_t sum_of_slot(const slot_count_vec *parts, size_t i)
{
	uint32_t slot = parts->data[i].slot;
	uint64_t sum = 0;

	for (; i < parts->nr && parts->data[i].slot == slot; i++)
		sum += parts->data[i].count;
	return sum;
}

static int visit_parts(const struct printout *p, const slot_count_vec *parts, bool *is_seen,
		       timed_row_fn visit, void *ctx, struct rows_summary *summary)
{
	const struct model *model = &p->rec->model;
	struct view view = *p->view;
	struct timed_row timed = {0};
	int ret = 0;

	/* Nothing wakes a hit, but a hostile file may say so. */
	view.no_wakers |= has_hits(p);
	for (size_t i = 0; i < parts->nr && !ret; i++) {
		const struct model_slot_count *part = &parts->data[i];
		struct rows_summary seen = {0};

		if (timed.slot != &model->slots.data[part->slot]) {
			timed.slot = &model->slots.data[part->slot];
			timed.before = 0;
			timed.all = sum_of_slot(parts, i);
		}
		timed.row = stack_row_show(model, &view, &model->rows.data[part->row],
					   is_seen[part->row] ? &seen : summary);
		timed.row.count = part->count;
		is_seen[part->row] = true;
		ret = visit(ctx, &timed);
		timed.before += part->count;
	}
	return ret;
}

int timed_rows_visit(const struct printout *p, timed_row_fn visit, void *ctx,
		     struct rows_summary *summary)
{
	_cleanup_free_ bool *is_seen = calloc(p->rec->model.rows.nr + 1, sizeof(*is_seen));
	slot_count_vec parts = {0};
	int ret = is_seen ? find_parts(p, &parts) : -ENOMEM;

	if (!ret)
		ret = visit_parts(p, &parts, is_seen, visit, ctx, summary);
	vec_free(&parts);
	return ret;
}

uint64_t timed_row_ns(const struct timed_row *row, uint64_t nr)
{
	uint64_t length_ns = row->slot->end_ns - row->slot->begin_ns;

	return row->slot->begin_ns +
	       (uint64_t)((unsigned __int128)length_ns * (row->before + nr) / row->all);
}
