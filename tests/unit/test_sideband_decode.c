// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of the side-band as the kernel writes them (include/uapi/linux/perf_event.h), word by
 * word. */
#include <linux/perf_event.h>
#include <string.h>

#include "record/process/sideband.h"
#include "tests/unit/suite.h"

static union {
	struct perf_event_header header;
	uint64_t words[64];
} raw;

static struct sideband_record record;

/* The words after the header are those of @words, then comes @name. */
static void decode(uint32_t type, uint16_t misc, const uint64_t *words, size_t nr, const char *name)
{
	size_t bytes = sizeof(raw.header) + nr * sizeof(*words) + strlen(name) + 1;

	raw.header = (struct perf_event_header){.type = type, .misc = misc, .size = bytes};
	memcpy(raw.words + 1, words, nr * sizeof(*words));
	strcpy((char *)(raw.words + 1 + nr), name);
	sideband_decode(&raw.header, 77, &record);
	ck_assert_uint_eq(record.time_ns, 77);
}
#define DECODE(type, misc, name, ...)                                                              \
	decode(type, misc, (const uint64_t[]){__VA_ARGS__},                                        \
	       sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), name)

/* Two numbers of 32 bits, the first one first. */
#define PAIR(a, b) ((uint64_t)(b) << 32 | (a))

START_TEST(a_mapping_of_a_file)
{
	DECODE(PERF_RECORD_MMAP2, 0, "/lib/a.so", PAIR(10, 11), 0x4000, 0x2000, 0x1000, PAIR(8, 1),
	       123, 456, PAIR(5, 2));
	ck_assert_int_eq(record.type, SIDEBAND_MMAP);
	ck_assert_uint_eq(record.pid, 10);
	ck_assert_uint_eq(record.tid, 11);
	ck_assert_uint_eq(record.addr, 0x4000);
	ck_assert_uint_eq(record.size, 0x2000);
	ck_assert_uint_eq(record.pgoff, 0x1000);
	ck_assert_uint_eq(record.dev_major, 8);
	ck_assert_uint_eq(record.dev_minor, 1);
	ck_assert_uint_eq(record.inode, 123);
	ck_assert_uint_eq(record.inode_generation, 456);
	ck_assert_uint_eq(record.build_id.size, 0);
	ck_assert_str_eq(record.name, "/lib/a.so");
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 0);
}
END_TEST

/* With a build-id, the record has no device and no inode. */
START_TEST(a_mapping_with_a_build_id)
{
	uint64_t id[3] = {0};

	memcpy(id, (const uint8_t[24]){20, 0, 0, 0, 0xa0, 0xa1, [23] = 0xa2}, sizeof(id));
	DECODE(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, "/lib/a.so", PAIR(10, 11), 0x4000,
	       0x2000, 0, id[0], id[1], id[2], PAIR(5, 2));
	ck_assert_uint_eq(record.build_id.size, 20);
	ck_assert_uint_eq(record.build_id.bytes[0], 0xa0);
	ck_assert_uint_eq(record.build_id.bytes[1], 0xa1);
	ck_assert_uint_eq(record.build_id.bytes[19], 0xa2);
	ck_assert_uint_eq(record.inode, 0);
	ck_assert_uint_eq(record.dev_major, 0);
}
END_TEST

START_TEST(an_exec)
{
	DECODE(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, "program", PAIR(10, 11));
	ck_assert_int_eq(record.type, SIDEBAND_EXEC);
	ck_assert_uint_eq(record.pid, 10);
	ck_assert_uint_eq(record.tid, 11);
	ck_assert_str_eq(record.name, "program");
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 10);
}
END_TEST

/* A thread that takes another name begins nothing. */
START_TEST(a_new_name)
{
	DECODE(PERF_RECORD_COMM, 0, "worker", PAIR(10, 11));
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 0);
}
END_TEST

START_TEST(a_fork)
{
	DECODE(PERF_RECORD_FORK, 0, "", PAIR(10, 9), PAIR(11, 8), 99);
	ck_assert_int_eq(record.type, SIDEBAND_FORK);
	ck_assert_uint_eq(record.pid, 10);
	ck_assert_uint_eq(record.parent_pid, 9);
	ck_assert_uint_eq(record.tid, 11);
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 10);
}
END_TEST

START_TEST(a_new_thread)
{
	DECODE(PERF_RECORD_FORK, 0, "", PAIR(10, 10), PAIR(11, 10), 99);
	ck_assert_int_eq(record.type, SIDEBAND_FORK);
	ck_assert_uint_eq(record.pid, 10);
	ck_assert_uint_eq(record.parent_pid, 10);
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 0);
}
END_TEST

START_TEST(an_exit)
{
	DECODE(PERF_RECORD_EXIT, 0, "", PAIR(10, 9), PAIR(11, 9), 99);
	ck_assert_int_eq(record.type, SIDEBAND_EXIT);
	ck_assert_uint_eq(record.pid, 10);
	ck_assert_uint_eq(record.tid, 11);
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 0);
}
END_TEST

START_TEST(a_symbol_of_the_kernel)
{
	DECODE(PERF_RECORD_KSYMBOL, 0, "bpf_prog_1_x", 0xffffffffc0001000,
	       PAIR(0x80, PERF_RECORD_KSYMBOL_TYPE_BPF));
	ck_assert_int_eq(record.type, SIDEBAND_KSYMBOL);
	ck_assert_uint_eq(record.addr, 0xffffffffc0001000);
	ck_assert_uint_eq(record.size, 0x80);
	ck_assert_str_eq(record.name, "bpf_prog_1_x");
	ck_assert_uint_eq(sideband_begun_pid(&raw.header), 0);
}
END_TEST

SUITE_MAIN("sideband_decode", a_mapping_of_a_file, a_mapping_with_a_build_id, an_exec, a_new_name,
	   a_fork, a_new_thread, an_exit, a_symbol_of_the_kernel)
