// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of counts, begin of the epoch, its duration. */
enum {
	COL_KERNEL, /* difference to the previous count's kernel stack */
	COL_USER,   /* difference within a kernel stack, else the user stack */
	COL_PROCESS,
	COL_COMM, /* 0: the name of the process's previous count; else 1 + string */
	COL_COUNT,
	NR_COLS,
};

#define NO_COMM UINT32_MAX

static int counts_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint32_t kernel = 0, user = 0;
	uint32_t *comms = reallocarray(NULL, e->nr_processes, sizeof(*comms));

	if (!comms)
		return -ENOMEM;
	memset(comms, 0xff, e->nr_processes * sizeof(*comms));
	bytes_varint(columns_head(cols), e->nr_counts);
	bytes_varint(columns_head(cols), e->begin_ns);
	bytes_varint(columns_head(cols), e->end_ns - e->begin_ns);
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		const struct prof_count *count = &e->counts[order->count_old[i]];
		uint32_t next_kernel = order->stack_new[count->kernel_stack];
		uint32_t next_user = order->stack_new[count->user_stack];
		uint32_t *comm = &comms[count->process];

		bytes_varint(columns_col(cols, COL_KERNEL), next_kernel - kernel);
		bytes_varint(columns_col(cols, COL_USER),
			     next_user - (next_kernel == kernel ? user : 0));
		bytes_varint(columns_col(cols, COL_PROCESS), order->process_new[count->process]);
		bytes_varint(columns_col(cols, COL_COMM),
			     *comm == count->comm ? 0 : 1 + order->string_new[count->comm]);
		bytes_varint(columns_col(cols, COL_COUNT), count->count);
		kernel = next_kernel;
		user = next_user;
		*comm = count->comm;
	}
	free(comms);
	return 0;
}

/* Decodes the thread name of a count of @process. */
static int decode_comm(struct tables *tables, struct cursor *col, uint64_t process,
		       struct fault *fault)
{
	uint64_t comm = cursor_varint(col);

	if (!comm && tables->comms.data[process] == NO_COMM)
		return fault_corrupt(fault, "no name was before it for process %" PRIu64, process);
	if (!comm)
		return 0;
	if (comm > tables->strings.nr)
		return fault_corrupt(fault, "string %" PRIu64 " is out of range", comm - 1);
	tables->comms.data[process] = comm - 1;
	return 0;
}

/* Sets the thread of row @i, whose process is known. */
static int set_thread(const struct tables *tables, size_t i, struct prof_count *count,
		      struct fault *fault)
{
	const uint32_t *first;

	if (!tables->has_count_threads)
		return 0;
	first = tables->first_thread.data + count->process;
	if (tables->count_threads.data[i] >= first[1] - first[0])
		return fault_corrupt(fault, "thread is out of range");
	count->tid = tables->threads.data[first[0] + tables->count_threads.data[i]];
	return 0;
}

/* Decodes a count. On entry, @count is the previous one. */
static int decode_count(struct tables *tables, struct cursor *cols, struct prof_count *count,
			struct fault *fault)
{
	uint64_t kernel = cursor_varint(&cols[COL_KERNEL]);
	uint64_t user = cursor_varint(&cols[COL_USER]);
	uint64_t process = cursor_varint(&cols[COL_PROCESS]);
	int ret;

	if (kernel >= tables->stacks.nr - count->kernel_stack)
		return fault_corrupt(fault, "kernel stack is out of range");
	if (kernel)
		count->user_stack = 0;
	if (user >= tables->stacks.nr - count->user_stack)
		return fault_corrupt(fault, "user stack is out of range");
	if (process >= tables->processes.nr)
		return fault_corrupt(fault, "process %" PRIu64 " is out of range", process);
	ret = decode_comm(tables, &cols[COL_COMM], process, fault);
	if (ret)
		return ret;
	count->kernel_stack += kernel;
	count->user_stack += user;
	count->process = process;
	count->comm = tables->comms.data[process];
	count->count = cursor_varint(&cols[COL_COUNT]);
	if (!count->count)
		return fault_corrupt(fault, "the count is 0");
	if (__builtin_add_overflow(tables->totals[count->event], count->count,
				   &tables->totals[count->event]))
		return fault_corrupt(fault, "the sum of the counts overflows");
	return 0;
}

/* Checks that the sections of further columns have @nr rows, if they are there. */
static int check_further_rows(const struct tables *tables, uint64_t nr, struct fault *fault)
{
	if (tables->nr_events > 1 && tables->count_events.nr != nr)
		return fault_corrupt(fault, "%" PRIu64 " counts, but events of %zu", nr,
				     tables->count_events.nr);
	if (tables->has_count_wakers && tables->count_wakers.nr != nr)
		return fault_corrupt(fault, "%" PRIu64 " counts, but wakers of %zu", nr,
				     tables->count_wakers.nr);
	if (tables->has_count_threads && tables->count_threads.nr != nr)
		return fault_corrupt(fault, "%" PRIu64 " counts, but threads of %zu", nr,
				     tables->count_threads.nr);
	if (tables->count_labels.nr && tables->count_labels.nr != nr)
		return fault_corrupt(fault, "%" PRIu64 " counts, but labels of %zu", nr,
				     tables->count_labels.nr);
	return 0;
}

/* Puts the event, the labels and the wakers of row @i into @count. */
static void set_further_columns(const struct tables *tables, uint64_t i, struct prof_count *count)
{
	if (tables->nr_events > 1)
		count->event = tables->count_events.data[i];
	if (tables->count_labels.nr)
		count->label_set = tables->count_labels.data[i];
	if (tables->has_count_wakers) {
		count->waker_user_stack = tables->count_wakers.data[i].user_stack;
		count->waker_kernel_stack = tables->count_wakers.data[i].kernel_stack;
	}
}

static int counts_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	struct prof_count count = {0};
	int ret = check_further_rows(tables, in->head[0], fault);

	if (ret)
		return ret;
	tables->begin_ns = in->head[1];
	if (__builtin_add_overflow(tables->begin_ns, in->head[2], &tables->end_ns))
		return fault_corrupt(fault, "the end time overflows");
	ret = table_resize(&tables->counts, in->head[0], fault);
	if (!ret)
		ret = table_resize(&tables->comms, tables->processes.nr, fault);
	if (ret)
		return ret;
	memset(tables->comms.data, 0xff, tables->comms.nr * sizeof(*tables->comms.data));
	for (size_t i = 0; i < tables->counts.nr; i++) {
		set_further_columns(tables, i, &count);
		ret = decode_count(tables, in->cols, &count, fault);
		if (!ret)
			ret = set_thread(tables, i, &count, fault);
		if (ret)
			return fault_in_row(fault, ret, "count", i);
		tables->counts.data[i] = count;
	}
	return slices_complete(tables, fault);
}

TABLE_CODEC(counts, .type = SECTION_COUNTS, .nr_head = 3, .nr_cols = NR_COLS,
	    .rows = {{"counts", PROF_MAX_TABLE, COL_KERNEL}});
