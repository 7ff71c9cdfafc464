// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The threads of the counts. Ids of threads are large numbers of which an epoch has few. So each
 * stands once, and rows have small numbers, which compress well. A process with one thread costs
 * two bytes, and its rows next to nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "format/tables.h"

/* Head: number of rows, number of threads. */
enum {
	COL_ROW,     /* the number of the row's thread among those of its process */
	COL_PROCESS, /* of each thread: difference to the previous one's */
	COL_TID, /* of a process's first thread, zigzag, less the pid; else a difference, less 1 */
	NR_COLS,
};

/* A row's thread, which sorts as threads are written. */
struct row_thread {
	uint32_t process, tid;
	uint32_t row; /* as rows are written */
};

static int compare_threads(const void *pa, const void *pb)
{
	const struct row_thread *a = pa, *b = pb;

	COMPARE(a->process, b->process);
	COMPARE(a->tid, b->tid);
	return 0;
}

/* Writes the thread of @t that comes after @last; NULL: it is the first. */
static void encode_thread(const struct order *order, struct columns *cols,
			  const struct row_thread *last, const struct row_thread *t)
{
	uint32_t pid = order->epoch->processes[order->process_old[t->process]].pid;

	bytes_varint(columns_col(cols, COL_PROCESS), t->process - (last ? last->process : 0));
	if (last && last->process == t->process)
		bytes_varint(columns_col(cols, COL_TID), t->tid - last->tid - 1);
	else
		bytes_varint(columns_col(cols, COL_TID), zigzag_encode((uint64_t)t->tid - pid));
}

/* Writes the threads of the sorted @rows. Sets @numbers, by row, and returns how many there are. */
static uint32_t encode_threads(const struct order *order, struct columns *cols,
			       const struct row_thread *rows, uint32_t *numbers)
{
	const struct row_thread *last = NULL;
	uint32_t nr = 0, number = 0;

	for (uint32_t i = 0; i < order->epoch->nr_counts; i++) {
		const struct row_thread *row = &rows[i];

		if (!last || compare_threads(last, row)) {
			number = last && last->process == row->process ? number + 1 : 0;
			encode_thread(order, cols, last, row);
			last = row;
			nr++;
		}
		numbers[row->row] = number;
	}
	return nr;
}

static int count_threads_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	_cleanup_free_ struct row_thread *rows = calloc(e->nr_counts + 1, sizeof(*rows));
	_cleanup_free_ uint32_t *numbers = calloc(e->nr_counts + 1, sizeof(*numbers));
	uint32_t nr;

	if (!rows || !numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		const struct prof_count *count = &e->counts[order->count_old[i]];

		rows[i] = (struct row_thread){order->process_new[count->process], count->tid, i};
	}
	qsort(rows, e->nr_counts, sizeof(*rows), compare_threads);
	nr = encode_threads(order, cols, rows, numbers);
	bytes_varint(columns_head(cols), e->nr_counts);
	bytes_varint(columns_head(cols), nr);
	for (uint32_t i = 0; i < e->nr_counts; i++)
		bytes_varint(columns_col(cols, COL_ROW), numbers[i]);
	return 0;
}

/* Decodes the id of a thread. On entry, *@tid is the previous one of its process, unless first. */
static int decode_tid(struct cursor *col, uint32_t pid, bool is_first, uint32_t *tid,
		      struct fault *fault)
{
	uint64_t next = cursor_varint(col);

	if (is_first)
		next = pid + zigzag_decode(next);
	else if (__builtin_add_overflow(next, (uint64_t)*tid + 1, &next))
		next = UINT64_MAX;
	if (next > UINT32_MAX)
		return fault_corrupt(fault, "thread id is out of range");
	*tid = next;
	return 0;
}

static int decode_threads(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	uint64_t process = 0;
	size_t next = 0; /* in first_thread */
	uint32_t tid = 0;

	for (size_t i = 0; i < tables->threads.nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_PROCESS]);
		int ret;

		if (diff >= tables->processes.nr - process)
			return fault_corrupt(fault, "thread %zu: process is out of range", i);
		process += diff;
		ret = decode_tid(&cols[COL_TID], tables->processes.data[process].pid, !i || diff,
				 &tid, fault);
		if (ret)
			return fault_in_row(fault, ret, "thread", i);
		while (next <= process)
			tables->first_thread.data[next++] = i;
		tables->threads.data[i] = tid;
	}
	while (next <= tables->processes.nr)
		tables->first_thread.data[next++] = tables->threads.nr;
	return 0;
}

static int count_threads_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	int ret = table_resize(&tables->count_threads, in->head[0], fault);

	if (!ret)
		ret = table_resize(&tables->threads, in->head[1], fault);
	if (!ret)
		ret = table_resize(&tables->first_thread, tables->processes.nr + 1, fault);
	if (!ret)
		ret = decode_threads(tables, in->cols, fault);
	for (size_t i = 0; i < tables->count_threads.nr && !ret; i++)
		tables->count_threads.data[i] =
			min_u64(cursor_varint(&in->cols[COL_ROW]), UINT32_MAX);
	tables->has_count_threads = true;
	return ret;
}

TABLE_CODEC(count_threads, .type = SECTION_COUNT_THREADS, .nr_head = 2, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_ROW}, {"threads", PROF_MAX_TABLE, COL_TID}});
