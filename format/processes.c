// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/check.h"
#include "format/tables.h"

/*
 * Head: number of processes without process 0, number of mappings. Of process 0 the number of
 * mappings is stored, but no pid and no generation.
 */
enum {
	COL_PID,        /* difference to the previous process's */
	COL_GENERATION, /* difference to the previous process's, modulo 2^64, zigzag */
	COL_NR_MAPPINGS,
	COL_OBJECT,
	COL_START, /* difference to the process's previous mapping's, page-rotated */
	COL_SIZE,  /* page-rotated */
	COL_PGOFF, /* page-rotated */
	NR_COLS,
};

static int processes_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	const uint32_t *mapping_id = order->mapping_old;
	const struct prof_process *prev = &e->processes[0];

	bytes_varint(columns_head(cols), e->nr_processes - 1);
	bytes_varint(columns_head(cols), order->nr_mappings);
	for (uint32_t i = 0; i < e->nr_processes; i++) {
		const struct prof_process *process = &e->processes[order->process_old[i]];
		uint64_t prev_start = 0;

		if (i > 0) {
			bytes_varint(columns_col(cols, COL_PID), process->pid - prev->pid);
			bytes_varint(columns_col(cols, COL_GENERATION),
				     zigzag_encode(process->generation - prev->generation));
		}
		bytes_varint(columns_col(cols, COL_NR_MAPPINGS), process->nr_mappings);
		for (uint32_t j = 0; j < process->nr_mappings; j++) {
			const struct prof_mapping *mapping = &e->mappings[*mapping_id++];

			bytes_varint(columns_col(cols, COL_OBJECT), mapping->object);
			bytes_varint(columns_col(cols, COL_START),
				     page_rotate(mapping->start - prev_start));
			bytes_varint(columns_col(cols, COL_SIZE), page_rotate(mapping->size));
			bytes_varint(columns_col(cols, COL_PGOFF), page_rotate(mapping->pgoff));
			prev_start = mapping->start;
		}
		prev = process;
	}
	return 0;
}

static int decode_mappings(struct tables *tables, struct cursor *cols,
			   const struct prof_process *process, struct fault *fault)
{
	uint64_t start = 0;

	for (uint32_t i = 0; i < process->nr_mappings; i++) {
		uint64_t object = cursor_varint(&cols[COL_OBJECT]);
		uint64_t diff = page_unrotate(cursor_varint(&cols[COL_START]));
		uint64_t size = page_unrotate(cursor_varint(&cols[COL_SIZE]));

		if (object >= tables->objects.nr)
			return fault_corrupt(
				fault, "mapping %u: object %" PRIu64 " is out of range", i, object);
		if (__builtin_add_overflow(start, diff, &start) || !range_is_valid(start, size))
			return fault_corrupt(fault, "mapping %u exceeds the address space", i);
		tables->mappings.data[process->first_mapping + i] = (struct prof_mapping){
			.object = object,
			.start = start,
			.size = size,
			.pgoff = page_unrotate(cursor_varint(&cols[COL_PGOFF])),
		};
	}
	return 0;
}

static int decode_processes(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	uint64_t pid = 0, generation = 0, first = 0;

	for (size_t i = 0; i < tables->processes.nr; i++) {
		struct prof_process *process = &tables->processes.data[i];
		uint64_t nr = cursor_varint(&cols[COL_NR_MAPPINGS]);
		int ret;

		if (i > 0) {
			uint64_t diff = cursor_varint(&cols[COL_PID]);

			if (diff > UINT32_MAX - pid)
				return fault_corrupt(fault, "process %zu: pid is out of range", i);
			pid += diff;
			generation += zigzag_decode(cursor_varint(&cols[COL_GENERATION]));
		}
		if (nr > tables->mappings.nr - first)
			return fault_corrupt(
				fault, "process %zu: %" PRIu64 " mappings are more than there are",
				i, nr);
		*process = (struct prof_process){pid, generation, first, nr};
		ret = decode_mappings(tables, cols, process, fault);
		if (ret)
			return fault_in_row(fault, ret, "process", i);
		first += nr;
	}
	if (first != tables->mappings.nr)
		return fault_corrupt(fault, "%zu mappings belong to no process",
				     (size_t)(tables->mappings.nr - first));
	return 0;
}

static int processes_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	int ret = table_resize(&tables->processes, in->head[0] + 1, fault);

	if (!ret)
		ret = table_resize(&tables->mappings, in->head[1], fault);
	return ret ? ret : decode_processes(tables, in->cols, fault);
}

TABLE_CODEC(processes, .type = SECTION_PROCESSES, .nr_head = 2, .nr_cols = NR_COLS,
	    .rows = {{"processes", PROF_MAX_TABLE - 1, COL_PID},
		     {"mappings", PROF_MAX_TABLE, COL_OBJECT}});
