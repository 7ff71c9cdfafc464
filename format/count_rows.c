// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/count_rows.h"

#include "common/hash.h"

int count_rows_add(count_vec *rows, struct index *index, const struct prof_count *row, uint32_t *at)
{
	const uint32_t key[] = {
		row->process,
		row->comm,
		row->user_stack,
		row->kernel_stack,
		row->event,
		row->waker_user_stack,
		row->waker_kernel_stack,
		row->tid,
		row->label_set,
	};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	int ret;

	index_for_each(index, hash, i) {
		struct prof_count *have = &rows->data[i];

		if (have->process == row->process && have->comm == row->comm &&
		    have->user_stack == row->user_stack &&
		    have->kernel_stack == row->kernel_stack && have->event == row->event &&
		    have->waker_user_stack == row->waker_user_stack &&
		    have->waker_kernel_stack == row->waker_kernel_stack && have->tid == row->tid &&
		    have->label_set == row->label_set) {
			have->count += row->count;
			if (at)
				*at = i;
			return 0;
		}
	}
	if (rows->nr >= INDEX_NONE)
		return -EOVERFLOW;
	ret = index_push(index, rows, hash, *row);
	if (!ret && at)
		*at = rows->nr - 1;
	return ret;
}
