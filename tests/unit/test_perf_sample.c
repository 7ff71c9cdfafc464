// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/perf/perf_sample.h"
#include "record/sampling/ptrace/registers.h"

#include <string.h>

#include "record/sampling/perf/perf_events.h"
#include "tests/unit/suite.h"

/* A record, word by word. */
static struct {
	struct perf_sample_head head;
	uint64_t words[256];
} record;

static size_t nr_words;
static struct program_sample sample;
static uint64_t cgroup;

static void put(uint64_t word)
{
	record.words[nr_words++] = word;
}

static void begin(void)
{
	nr_words = 0;
	sample = (struct program_sample){0};
	cgroup = 0;
}

/* Decodes the record as far as @nr words after its head. */
static bool decode(size_t nr, bool has_chain)
{
	record.head.header.size = sizeof(record.head) + nr * sizeof(uint64_t);
	return perf_sample_decode(&record.head, has_chain, &sample, has_chain ? &cgroup : NULL);
}

static void put_whole(void)
{
	put(3);
	put(PERF_CONTEXT_KERNEL);
	put(0xffffffff81000010);
	put(0xffffffff81000020);
	put(2); /* PERF_SAMPLE_REGS_ABI_64 */
	for (uint64_t i = 0; i < registers_perf_nr; i++)
		put(100 + i);
	put(32); /* bytes of the stack */
	for (uint64_t i = 0; i < 4; i++)
		put(i);
	put(24); /* of which so many could be read */
	put(4711);
}

START_TEST(a_whole_record)
{
	put_whole();
	ck_assert(decode(nr_words, true));
	ck_assert_uint_eq(sample.nr_kernel_frames, 2);
	ck_assert_uint_eq(sample.kernel_frames[0], 0xffffffff81000010);
	ck_assert_uint_eq(sample.regs.rax, 100);
	ck_assert_uint_eq(sample.regs.rsp, 107);
	ck_assert_uint_eq(sample.regs.rip, 108);
	ck_assert_uint_eq(sample.regs.r15, 119);
	ck_assert_uint_eq(sample.memory.begin, 107);
	ck_assert_uint_eq(sample.memory.nr, 24);
	ck_assert(sample.memory.is_whole);
	ck_assert_uint_eq(cgroup, 4711);
}
END_TEST

/* A record that ends anywhere is refused, and nothing behind it is read. */
START_TEST(cut_records)
{
	put_whole();
	for (size_t nr = 0; nr < nr_words; nr++)
		ck_assert(!decode(nr, true));
	ck_assert_uint_eq(cgroup, 0);
}
END_TEST

static void put_registers(void)
{
	put(2);
	for (uint64_t i = 0; i < registers_perf_nr; i++)
		put(100 + i);
}

/* Nor is a zero behind it taken for a size. */
START_TEST(zeros_behind_the_end)
{
	put_registers();
	put(0);
	ck_assert(!decode(nr_words - 1, false));
	ck_assert(decode(nr_words, false));
	ck_assert(sample.memory.is_whole);
	begin();
	put_registers();
	put(16);
	put(1);
	put(2);
	put(0);
	ck_assert(!decode(nr_words - 1, false));
	ck_assert(decode(nr_words, false));
	ck_assert_uint_eq(sample.memory.nr, 0);
}
END_TEST

/* A stack that fills its copy may be larger. */
START_TEST(a_full_copy)
{
	put_registers();
	put(16);
	put(1);
	put(2);
	put(16);
	ck_assert(decode(nr_words, false));
	ck_assert_uint_eq(sample.memory.nr, 16);
	ck_assert(!sample.memory.is_whole);
}
END_TEST

/* Frames without the mark of the kernel's are all there. */
START_TEST(a_chain_without_a_mark)
{
	put(2);
	put(0xffffffff81000010);
	put(0xffffffff81000020);
	put_registers();
	put(0);
	put(4711);
	ck_assert(decode(nr_words, true));
	ck_assert_uint_eq(sample.nr_kernel_frames, 2);
	ck_assert_uint_eq(sample.kernel_frames[0], 0xffffffff81000010);
	begin();
	put(0);
	put_registers();
	put(0);
	put(4711);
	ck_assert(decode(nr_words, true));
	ck_assert_uint_eq(sample.nr_kernel_frames, 0);
}
END_TEST

START_TEST(sizes_that_lie)
{
	put(UINT64_MAX);
	ck_assert(!decode(nr_words, true));
	begin();
	put(0); /* no registers: a thread of the kernel */
	put(0);
	ck_assert(decode(nr_words, false));
	ck_assert_uint_eq(sample.regs.cs, 0);
	begin();
	put(0);
	put(16);
	put(0);
	put(0);
	put(24); /* more than there was room for */
	ck_assert(!decode(nr_words, false));
	begin();
	put(0);
	put(UINT64_MAX - 7);
	put(0);
	ck_assert(!decode(nr_words, false));
}
END_TEST

static void end(void)
{
}

SUITE_MAIN_WITH("perf_sample", begin, end, a_whole_record, cut_records, sizes_that_lie,
		zeros_behind_the_end, a_full_copy, a_chain_without_a_mark)
