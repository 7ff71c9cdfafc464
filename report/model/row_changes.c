// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/row_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

#define NO_ROW UINT32_MAX

static struct prof_count with_stacks(struct prof_count row, const uint32_t *stacks)
{
	if (!stacks)
		return row;
	row.user_stack = stacks[row.user_stack];
	row.kernel_stack = stacks[row.kernel_stack];
	row.waker_user_stack = stacks[row.waker_user_stack];
	row.waker_kernel_stack = stacks[row.waker_kernel_stack];
	return row;
}

/* Numbers the rows of the counts of slots anew, and takes those of no row out. */
static void renumber_slot_counts(struct model *model, const uint32_t *ids)
{
	size_t nr = 0;

	vec_for_each(&model->slot_counts, part) {
		if (ids[part->row] == NO_ROW)
			continue;
		model->slot_counts.data[nr] = *part;
		model->slot_counts.data[nr++].row = ids[part->row];
	}
	model->slot_counts.nr = nr;
}

int model_change_rows(struct model *model, const bool *is_kept, const uint32_t *stacks)
{
	count_vec rows = model->rows;
	_cleanup_free_ uint32_t *ids = calloc(rows.nr + 1, sizeof(*ids));
	struct index index = {0};
	int ret = 0;

	if (!ids)
		return -ENOMEM;
	model->rows = (count_vec){0};
	memset(model->totals, 0, sizeof(model->totals));
	for (size_t i = 0; !ret && i < rows.nr; i++) {
		const struct prof_count row = with_stacks(rows.data[i], stacks);

		ids[i] = NO_ROW;
		if (is_kept && !is_kept[i])
			continue;
		/* The total of all rows fit, so that of some does. */
		model->totals[row.event] += row.count;
		ret = count_rows_add(&model->rows, &index, &row, &ids[i]);
	}
	if (!ret)
		renumber_slot_counts(model, ids);
	index_deinit(&index);
	vec_free(&rows);
	return ret;
}

int model_forget_tids(struct model *model)
{
	vec_for_each(&model->rows, row)
		row->tid = 0;
	return model_change_rows(model, NULL, NULL);
}

int model_forget_labels(struct model *model)
{
	vec_for_each(&model->rows, row)
		row->label_set = 0;
	return model_change_rows(model, NULL, NULL);
}

int model_leave_out_rows(struct model *model, const bool *is_kept)
{
	for (size_t i = 0; i < model->rows.nr; i++)
		if (!is_kept[i])
			model->left_out[model->rows.data[i].event] += model->rows.data[i].count;
	vec_for_each(&model->slot_counts, part) {
		const struct model_left_out left_out = {model->rows.data[part->row].event,
							part->slot, part->count};

		if (!is_kept[part->row] && vec_push(&model->slots_left_out, left_out))
			return -ENOMEM;
	}
	return 0;
}

void model_find_used_stacks(const struct model *model, const bool *is_kept, bool *is_used)
{
	for (size_t i = 0; i < model->rows.nr; i++) {
		const struct prof_count *row = &model->rows.data[i];

		if (is_kept && !is_kept[i])
			continue;
		is_used[row->user_stack] = true;
		is_used[row->kernel_stack] = true;
		is_used[row->waker_user_stack] = true;
		is_used[row->waker_kernel_stack] = true;
	}
}
