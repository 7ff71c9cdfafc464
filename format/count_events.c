// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of the counts that only some recordings have: the event and the wakers of each row. */
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head of both sections: number of rows. */
enum {
	COL_EVENT,
	NR_EVENT_COLS,
};

enum {
	COL_USER,
	COL_KERNEL,
	NR_WAKER_COLS,
};

static int count_events_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;

	bytes_varint(columns_head(cols), e->nr_counts);
	for (uint32_t i = 0; i < e->nr_counts; i++)
		bytes_varint(columns_col(cols, COL_EVENT), e->counts[order->count_old[i]].event);
	return 0;
}

static int count_events_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0];
	int ret = table_resize(&tables->count_events, nr, fault);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t event = cursor_varint(&in->cols[COL_EVENT]);

		if (event >= tables->nr_events)
			return fault_corrupt(fault, "row %" PRIu64 ": event is out of range", i);
		tables->count_events.data[i] = event;
	}
	return 0;
}

TABLE_CODEC(count_events, .type = SECTION_COUNT_EVENTS, .nr_head = 1, .nr_cols = NR_EVENT_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_EVENT}});

static int count_wakers_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;

	bytes_varint(columns_head(cols), e->nr_counts);
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		const struct prof_count *count = &e->counts[order->count_old[i]];

		bytes_varint(columns_col(cols, COL_USER),
			     order->stack_new[count->waker_user_stack]);
		bytes_varint(columns_col(cols, COL_KERNEL),
			     order->stack_new[count->waker_kernel_stack]);
	}
	return 0;
}

static int count_wakers_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0];
	int ret = table_resize(&tables->count_wakers, nr, fault);

	if (ret)
		return ret;
	tables->has_count_wakers = true;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t user = cursor_varint(&in->cols[COL_USER]);
		uint64_t kernel = cursor_varint(&in->cols[COL_KERNEL]);

		if (user >= tables->stacks.nr || kernel >= tables->stacks.nr)
			return fault_corrupt(fault, "row %" PRIu64 ": stack is out of range", i);
		tables->count_wakers.data[i] =
			(struct count_wakers){.user_stack = user, .kernel_stack = kernel};
	}
	return 0;
}

TABLE_CODEC(count_wakers, .type = SECTION_COUNT_WAKERS, .nr_head = 1, .nr_cols = NR_WAKER_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_USER}});
