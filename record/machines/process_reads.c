// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/process_reads.h"

#include "common/clock.h"
#include "common/minmax.h"

/*
 * Bytes that are read before anybody asks whether the look has taken too long: a page of a file may
 * take a search through all mounts.
 */
#define READ_BYTES 4096

/*
 * CPU time after which a question reads nothing more. A look has three, and what it takes has to be
 * less than what a user can be charged for (record/looks/look_budget.h).
 */
#define CPU_MAX_NS (20 * NS_PER_MS)

/* A machine_read_fn. */
static long read_process(void *ctx, uint64_t addr, void *buf, size_t len)
{
	return resident_memory_read(ctx, addr, buf, len);
}

struct machine_memory machine_memory_of(struct resident_memory *memory)
{
	return (struct machine_memory){.read = read_process, .ctx = memory};
}

static bool is_over(const struct timed_memory *m)
{
	return look_is_long(m->look) ||
	       clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - m->begin_cpu_ns >= CPU_MAX_NS;
}

/* A machine_read_fn. */
static long read_in_time(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct timed_memory *m = ctx;

	for (size_t done = 0, part; done < len; done += part) {
		long nr = -ETIME;

		part = min_u64(len - done, READ_BYTES);
		m->is_over = m->is_over || is_over(m) ||
			     look_touch(m->look, look_process(m->pages->pid));
		if (!m->is_over)
			nr = resident_memory_read(m->pages, addr + done, (char *)buf + done, part);
		if (nr < 0)
			return done ? (long)done : nr;
		if ((size_t)nr < part)
			return (long)done + nr;
	}
	return (long)len;
}

struct timed_memory timed_memory_begin(struct look *look, struct resident_memory *pages)
{
	return (struct timed_memory){
		.look = look,
		.pages = pages,
		.begin_cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID),
	};
}

struct machine_memory machine_memory_in_time(struct timed_memory *timed)
{
	return (struct machine_memory){.read = read_in_time, .ctx = timed};
}
