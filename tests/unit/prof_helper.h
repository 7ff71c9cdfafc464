/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the tests of format/: recordings in memory, and their first and last record. */
#ifndef TESTS_PROF_HELPER_H
#define TESTS_PROF_HELPER_H

#include <check.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "format/prof.h"
#include "format/reader.h"
#include "format/writer.h"
#include "tests/unit/world.h"

struct memory {
	uint8_t *data;
	size_t nr, cap;
	size_t pos;   /* of reading */
	size_t chunk; /* most that one read returns; 0: no limit */
};

static inline int memory_write(void *ctx, const void *buf, size_t len)
{
	struct memory *m = ctx;

	return vec_append(m, (const uint8_t *)buf, len);
}

static inline ssize_t memory_read(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;
	size_t left = m->nr - m->pos;

	if (len > left)
		len = left;
	if (m->chunk && len > m->chunk)
		len = m->chunk;
	if (len)
		memcpy(buf, m->data + m->pos, len);
	m->pos += len;
	return len;
}

static const struct prof_meta test_meta = {
	.hostname = "host",
	.kernel_release = "6.1.0",
	.kernel_version = "#1 SMP",
	.arch = "x86_64",
	.recorder = "profrec 0.1.0",
	.command_line = "profrec 10",
	.event = "cpu-clock",
	.cpus = "0-1",
	.command = "",
	.event_type = 1,
	.event_config = 0,
	.freq_hz = 49,
	.start_realtime_ns = 1700000000000000000,
	.start_monotonic_ns = 12345678901,
	.duration_ns = 10000000000,
	.stack_storage = 16384,
	.hash_storage = 16384,
	.nr_cpus = 2,
	.pids = (const uint32_t[]){1, 70000},
	.nr_pids = 2,
	.filters = "uid 1000",
	.tids = (const uint32_t[]){4194304},
	.nr_tids = 1,
	.max_stack_depth = 127,
	.unwinding = PROF_UNWINDING_TABLES,
	.backend = PROF_BACKEND_PTRACE,
	.host =
		{
			.boot_id = "7f9d7c2e-0000-4000-8000-000000000000",
			.cpu_model = "A CPU @ 3.00GHz",
			.hypervisor = "KVMKVMKVM",
			.nr_cpus_online = 2,
			.nr_cpus_possible = 64,
			.memory_bytes = UINT64_C(8) << 30,
		},
	.loads = {25, 50, 1075},
	.interval_ns = UINT64_C(1000000000),
	.zone = PROF_ZONE_UTC + 120,
};

static const struct prof_end test_end = {
	.duration_ns = 10000000123,
	.taken = 1006,
	.counted = 1000,
	.lost = {1, 2, 3},
	.missed_user = {4, 5, 6},
	.missed_kernel = {7, 8, 9},
	.idle = 10,
	.filtered = 11,
	.lost_records = 12,
	.reason = PROF_END_SIGNAL,
	.cpu_taken = (const uint64_t[]){500, 506},
	.nr_cpu_taken = 2,
	.nr_cpus_changed = 1,
	.unfollowed = 13,
	.maps_left_out = 14,
	.mappings_left_out = 15,
	.looks_left_out = 16,
	.infos_left_out = 17,
	.names_left_out = 19,
	.copies_left_out = 20,
	.lacks = {{PROF_LACK_TABLES, 1000, 21}, {PROF_LACK_TABLES, PROF_UID_UNKNOWN, 22}},
	.nr_lacks = 2,
	.skipped = 18,
	.wanted_ns = 1000,
	.running_ns = 429,
	.loads = {125, 75, 1100},
};

/* Events of each kind, unit and number of bytes of strings. */
static const struct prof_event test_events[] = {
	{PROF_EVENT_USER_CALLS, PROF_UNIT_EVENTS, "c:malloc", "", 1, 0},
	{PROF_EVENT_USER_CALLS, PROF_UNIT_BYTES, "c:malloc", "arg1", 1, 0},
	{PROF_EVENT_KERNEL_CALLS, PROF_UNIT_NUMBER, "tcp_*", "arg3:s32", 1234, 0},
	{PROF_EVENT_TRACEPOINT, PROF_UNIT_BYTES, "t:block:block_rq_issue", "bytes", 2, 0},
	{PROF_EVENT_USDT, PROF_UNIT_EVENTS, "u:pthread:*", "", 0, 0},
	{PROF_EVENT_OFF_CPU, PROF_UNIT_NS, "off-cpu", "", 0, 0},
	{PROF_EVENT_SAMPLES, PROF_UNIT_NS, "cpu-clock", "", 0, 10101010},
};

static const struct prof_event_end test_event_ends[ARRAY_SIZE(test_events)] = {
	{500, 480, 480, 0, 1, 0, 0, 0},
	{500, 480, UINT64_MAX, 3, 4, 0, 0, 0},
	{6, 40, 80, 0, 0, 0, 17, 12},
	{.taken = 0},
	{.blocked = 5},
	{.sum = 1},
	{.every_nth = UINT64_MAX},
};

/* A writer to @m, after META. */
static inline struct prof_writer *begin_recording(struct memory *m)
{
	struct prof_writer *writer = NULL;

	ck_assert_int_eq(prof_writer_create(memory_write, m, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &test_meta), 0);
	return writer;
}

/* Writes END. */
static inline void end_recording(struct prof_writer *writer)
{
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	prof_writer_destroy(writer);
}

static inline void write_epoch(struct prof_writer *writer, struct world *w)
{
	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(w)), 0);
}

/* A reader of @m, whose header and META are good. */
static inline struct prof_reader *open_recording(struct memory *m)
{
	struct prof_reader *reader = NULL;

	ck_assert_int_eq(prof_reader_create(memory_read, m, &reader), 0);
	return reader;
}

/* The next epoch, which there must be. It is valid until the next one is read. */
static inline const struct prof_epoch *read_epoch(struct prof_reader *reader)
{
	const struct prof_epoch *epoch = NULL;

	ck_assert_msg(prof_reader_next(reader, &epoch) == PROF_READ_EPOCH, "%s",
		      prof_reader_error(reader));
	return epoch;
}

/* No epoch follows, but a good END. */
static inline void expect_end(struct prof_reader *reader)
{
	const struct prof_epoch *epoch;

	ck_assert_msg(prof_reader_next(reader, &epoch) == PROF_READ_END, "%s",
		      prof_reader_error(reader));
}

#endif
