// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/process_reads.h"

/* A machine_read_fn. */
static long read_process(void *ctx, uint64_t addr, void *buf, size_t len)
{
	return resident_memory_read(ctx, addr, buf, len);
}

struct machine_memory machine_memory_of(struct resident_memory *memory)
{
	return (struct machine_memory){.read = read_process, .ctx = memory};
}
