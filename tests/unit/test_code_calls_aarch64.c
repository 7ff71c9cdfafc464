// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that begin in gaps because code of arm64 between them calls them, or takes them. */
#include "record/cfi/code_gaps.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/suite.h"

#define ALL 256 /* of the segment */

static struct code_frames frames_of_file;
static uint32_t code[ALL / 4];

static void add_gap(uint64_t off, uint64_t size)
{
	ck_assert_int_eq(code_gaps_add(&frames_of_file, CODE_VADDR + off, CODE_VADDR + off + size),
			 0);
}

/* There is code that something tells of in [0x10, 0x40), [0x60, 0x80) and [0xa0, 0xc0). */
static void begin(void)
{
	frames_of_file = (struct code_frames){0};
	memset(code, 0, sizeof(code));
	add_gap(0, 0x10);
	add_gap(0x40, 0x20);
	add_gap(0x80, 0x20);
	add_gap(0xc0, 0x40);
}

static void end(void)
{
	code_frames_deinit(&frames_of_file);
}

static void put_call(uint32_t off, uint32_t to)
{
	code[off / 4] = 0x94000000 | ((to - off) / 4 & 0x3ffffff);
}

/* adrp x1, ...; add x1, x1, #N: within a page */
static void put_taken(uint32_t off, uint32_t to)
{
	code[off / 4] = 0x90000001;
	code[off / 4 + 1] = 0x91000021 | ((CODE_VADDR + to) & 0xfff) << 10;
}

static int read_calls(uint64_t size)
{
	const struct code_segment segment = {CODE_VADDR, CODE_OFF, size};
	int fd = make_elf(&(struct test_elf){0}, NO_BYTES), ret;

	ck_assert_int_eq(pwrite(fd, code, sizeof(code), CODE_OFF), sizeof(code));
	ret = code_gaps_read_calls(&frames_of_file, fd, &segment, 1);
	close(fd);
	return ret;
}

START_TEST(calls)
{
	put_call(0x04, 0x44); /* in a gap, which may be data */
	put_call(0x10, 0x48);
	put_call(0x14, 0x48);
	put_call(0x3c, 0x08);
	put_call(0x44, 0x4c);
	put_call(0x60, 0x70); /* to code that is known */
	put_call(0xbc, 0xd0);
	ck_assert_int_eq(read_calls(ALL), 0);
	ck_assert_uint_eq(frames_of_file.taken.nr, 3);
	ck_assert_uint_eq(frames_of_file.taken.data[0], CODE_VADDR + 0x08);
	ck_assert_uint_eq(frames_of_file.taken.data[1], CODE_VADDR + 0x48);
	ck_assert_uint_eq(frames_of_file.taken.data[2], CODE_VADDR + 0xd0);
}
END_TEST

/* Before the first and behind the last code there may be strings. */
START_TEST(addresses)
{
	put_taken(0x10, 0x50);
	put_taken(0x18, 0x90);
	put_taken(0x20, 0x08);
	put_taken(0x28, 0xd0);
	put_taken(0x30, 0x70);
	ck_assert_int_eq(read_calls(ALL), 0);
	ck_assert_uint_eq(frames_of_file.taken.nr, 2);
	ck_assert_uint_eq(frames_of_file.taken.data[0], CODE_VADDR + 0x50);
	ck_assert_uint_eq(frames_of_file.taken.data[1], CODE_VADDR + 0x90);
}
END_TEST

START_TEST(what_is_not_read)
{
	put_call(0x10, 0x48);
	ck_assert_int_eq(read_calls(CODE_BYTES_MAX + 1), 0);
	ck_assert_int_eq(read_calls(CODE_BYTES_MAX), 0); /* the file has less */
	ck_assert_uint_eq(frames_of_file.taken.nr, 0);
}
END_TEST

START_TEST(addresses_are_part_of_the_hash)
{
	uint8_t none[CFI_HASH_BYTES] = {0}, one[CFI_HASH_BYTES] = {0};

	code_gaps_hash(&frames_of_file, none);
	put_taken(0x10, 0x50);
	ck_assert_int_eq(read_calls(ALL), 0);
	code_gaps_hash(&frames_of_file, one);
	ck_assert_mem_ne(none, one, sizeof(one));
}
END_TEST

SUITE_MAIN_WITH("code_calls_aarch64", begin, end, calls, addresses, what_is_not_read,
		addresses_are_part_of_the_hash)
