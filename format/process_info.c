// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of rows. */
enum {
	COL_PROCESS, /* difference to the previous row's, less 1 */
	COL_NS_PID,
	COL_UID,  /* user id + 1, modulo 2^32; 0: not known */
	COL_NAME, /* string, difference to the previous row's, zigzag */
	COL_EXE,  /* string, difference to the previous row's, zigzag */
	COL_CGROUP,
	NR_COLS,
};

/* The columns that hold strings, and their members of a row. */
static const struct {
	unsigned int col;
	size_t off;
} strings[] = {
	{COL_NAME, offsetof(struct prof_process_info, name)},
	{COL_EXE, offsetof(struct prof_process_info, exe)},
	{COL_CGROUP, offsetof(struct prof_process_info, cgroup)},
};

#define NR_STRINGS (sizeof(strings) / sizeof(strings[0]))

static int process_info_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t prev[NR_STRINGS] = {0};
	uint32_t process = 0;

	bytes_varint(columns_head(cols), e->nr_process_infos);
	for (uint32_t i = 0; i < e->nr_process_infos; i++) {
		const struct prof_process_info *info = &e->process_infos[order->info_old[i]];
		uint32_t id = order->process_new[info->process];

		bytes_varint(columns_col(cols, COL_PROCESS), id - process - 1);
		bytes_varint(columns_col(cols, COL_NS_PID), info->ns_pid);
		bytes_varint(columns_col(cols, COL_UID), (uint32_t)(info->uid + 1));
		for (size_t s = 0; s < NR_STRINGS; s++) {
			const char *p = (const char *)info + strings[s].off;
			uint64_t string = order->string_new[*(const uint32_t *)p];

			bytes_varint(columns_col(cols, strings[s].col),
				     zigzag_encode(string - prev[s]));
			prev[s] = string;
		}
		process = id;
	}
	return 0;
}

static int decode_row(const struct tables *tables, struct cursor *cols, uint64_t prev[],
		      struct prof_process_info *info, struct fault *fault)
{
	uint64_t diff = cursor_varint(&cols[COL_PROCESS]);
	uint64_t ns_pid = cursor_varint(&cols[COL_NS_PID]);
	uint64_t uid = cursor_varint(&cols[COL_UID]);

	/* @info->process is that of the previous row. */
	if (diff >= tables->processes.nr - 1 - info->process)
		return fault_corrupt(fault, "process is out of range");
	if (ns_pid > UINT32_MAX || uid > UINT32_MAX)
		return fault_corrupt(fault, "%s is out of range", uid > UINT32_MAX ? "uid" : "pid");
	info->process += diff + 1;
	info->ns_pid = ns_pid;
	info->uid = (uint32_t)uid - 1;
	for (size_t s = 0; s < NR_STRINGS; s++) {
		prev[s] += zigzag_decode(cursor_varint(&cols[strings[s].col]));
		if (prev[s] >= tables->strings.nr)
			return fault_corrupt(fault, "string %" PRIu64 " is out of range", prev[s]);
		*(uint32_t *)((char *)info + strings[s].off) = prev[s];
	}
	return 0;
}

static int process_info_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0], prev[NR_STRINGS] = {0};
	struct prof_process_info row = {0};
	int ret = table_resize(&tables->process_infos, nr, fault);

	for (uint64_t i = 0; !ret && i < nr; i++) {
		ret = decode_row(tables, in->cols, prev, &row, fault);
		if (ret)
			return fault_in_row(fault, ret, "row", i);
		tables->process_infos.data[i] = row;
	}
	return ret;
}

TABLE_CODEC(process_info, .type = SECTION_PROCESS_INFO, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE - 1, COL_PROCESS}});
