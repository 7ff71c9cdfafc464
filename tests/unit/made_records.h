/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source by perf events, and the records in its ring buffers, as the kernel writes them
 * (include/uapi/linux/perf_event.h).
 */
#ifndef TESTS_MADE_RECORDS_H
#define TESTS_MADE_RECORDS_H

#include "record/sampling/perf/perf_source.h"
#include "record/sampling/ptrace/registers.h"
#include "tests/unit/made_events.h"

#define USER_CODE 0x33 /* the selector of 64-bit code */
#define STACK     0x7ffff000
#define NEAR      (128 << 10) /* to the stack of a new program */

static struct perf_source *source;
static struct err err;
/* Those of samples, and those of what tellers say. */
static struct perf_event_mmap_page *rings[4];

static uint32_t cpu_numbers[] = {2, 5};
static const u32_vec cpus = {.data = cpu_numbers, .nr = 2, .cap = 2};

/* The next samples. */
static struct {
	uint64_t ip, sp, cs;
	uint16_t misc;
	uint64_t nr_frames; /* of the kernel, from 0xffff0000 on */
	uint64_t nr_stack;  /* bytes of the stack that could be read, of 32 */
	uint64_t cgroup;
} next;

static inline void create(struct source_options options)
{
	options.cpus = &cpus;
	options.listener = played_listener;
	tracee = &played_ops;
	nr_made_events = 0;
	ck_assert_msg(!perf_source_create(&options, &source, &err), "%s", err.text);
}

/* The buffers of the source's first events. */
static inline void map_rings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
		rings[i] =
			mmap(NULL, sysconf(_SC_PAGESIZE) + MADE_RING_BYTES, PROT_READ | PROT_WRITE,
			     MAP_SHARED, (i < 2 ? made_events[1 + i] : made_tellers[i - 1]).fd, 0);
		ck_assert_ptr_ne(rings[i], MAP_FAILED);
	}
}

/* The process is sampled. */
static inline void add(uint32_t pid)
{
	ck_assert_msg(!perf_source_add(source, pid, false, false, &err), "%s", err.text);
	ck_assert_int_eq(perf_source_start(source, &err), 0);
	map_rings();
}

static inline void create_default(void)
{
	create((struct source_options){.freq_hz = 1000});
}

/* Process 10 of one thread. */
static inline void begin(void)
{
	next = (typeof(next)){.ip = 0x1234,
			      .sp = STACK,
			      .cs = USER_CODE,
			      .misc = PERF_RECORD_MISC_USER,
			      .nr_stack = 32,
			      .cgroup = 4711};
	create_default();
	strcpy(played_add(10, 10)->comm, "first");
	played_find(10)->start_code = 0x1000;
	played_find(10)->start_stack = STACK + 0x100;
	add(10);
}

static void end(void)
{
	perf_source_destroy(source);
}

static inline void take(void)
{
	ck_assert_int_eq(perf_source_take(source), 0);
}

static inline void write_bytes(size_t ring, const void *from, size_t nr)
{
	char *data = (char *)rings[ring] + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < nr; i++)
		data[rings[ring]->data_head++ % MADE_RING_BYTES] = ((const char *)from)[i];
}

/* A record of these words, and what each record but samples ends with. */
static inline void put(size_t ring, uint64_t time_ns, uint32_t type, uint16_t misc,
		       const uint64_t *words, size_t nr)
{
	const uint64_t trailer[] = {0, time_ns, 0};
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = sizeof(header) + nr * 8 + sizeof(trailer)};

	write_bytes(ring, &header, sizeof(header));
	write_bytes(ring, words, nr * 8);
	write_bytes(ring, trailer, sizeof(trailer));
}
#define PUT(ring, time_ns, type, misc, ...)                                                        \
	put(ring, time_ns, type, misc, (const uint64_t[]){__VA_ARGS__},                            \
	    ARRAY_SIZE(((const uint64_t[]){__VA_ARGS__})))

/* Two numbers of 32 bits, the first one first. */
#define PAIR(a, b) ((uint64_t)(b) << 32 | (a))

/* Eight bytes of a name. */
static inline uint64_t text(const char *name)
{
	uint64_t word = 0;
	size_t len = strlen(name);

	memcpy(&word, name, len < 8 ? len : 8);
	return word;
}

static inline void put_fork(uint64_t time_ns, uint32_t pid, uint32_t tid, uint32_t ppid,
			    uint32_t ptid)
{
	PUT(0, time_ns, PERF_RECORD_FORK, 0, PAIR(pid, ppid), PAIR(tid, ptid), time_ns);
}

static inline void put_exit(uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	PUT(0, time_ns, PERF_RECORD_EXIT, 0, PAIR(pid, 1), PAIR(tid, 1), time_ns);
}

static inline void put_name(uint64_t time_ns, uint32_t pid, uint32_t tid, const char *name)
{
	PUT(0, time_ns, PERF_RECORD_COMM, 0, PAIR(pid, tid), text(name), 0);
}

static inline void put_exec(uint64_t time_ns, uint32_t pid, const char *name)
{
	PUT(0, time_ns, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, PAIR(pid, pid), text(name),
	    0);
}

static inline void put_mapping(uint64_t time_ns, uint32_t pid)
{
	PUT(0, time_ns, PERF_RECORD_MMAP2, 0, PAIR(pid, pid), 0x4000, 0x1000, 0, PAIR(8, 1), 5, 6,
	    PAIR(5, 2), text("/lib/a"));
}

/* A sample of @next, with the parts that were asked for. */
static inline void put_sample(size_t ring, uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	uint64_t type = made_events[1].attr.sample_type, words[64];
	size_t nr = 0;

	words[nr++] = PAIR(pid, tid);
	words[nr++] = time_ns;
	words[nr++] = cpu_numbers[ring];
	if (type & PERF_SAMPLE_CALLCHAIN) {
		words[nr++] = next.nr_frames ? 1 + next.nr_frames : 0;
		if (next.nr_frames)
			words[nr++] = PERF_CONTEXT_KERNEL;
		for (uint64_t i = 0; i < next.nr_frames; i++)
			words[nr++] = 0xffff0000 + i;
	}
	words[nr++] = PERF_SAMPLE_REGS_ABI_64;
	for (uint64_t i = 0; i < registers_perf_nr; i++)
		words[nr++] = i == 7 ? next.sp : i == 8 ? next.ip : i == 10 ? next.cs : 100 + i;
	words[nr++] = 32;
	for (uint64_t i = 0; i < 4; i++)
		words[nr++] = 0x0101010101010101 * (i + 1);
	words[nr++] = next.nr_stack;
	if (type & PERF_SAMPLE_CGROUP)
		words[nr++] = next.cgroup;
	write_bytes(ring,
		    &(struct perf_event_header){
			    .type = PERF_RECORD_SAMPLE, .misc = next.misc, .size = 8 + nr * 8},
		    8);
	write_bytes(ring, words, nr * 8);
}

#endif
