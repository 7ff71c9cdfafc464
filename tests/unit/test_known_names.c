// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/name_parts.h"
#include "record/symbols/known_names.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define NR_OFFSETS 3

/* An answer about three offsets, which tests spoil. */
static struct {
	struct names_head head;
	uint32_t numbers[NR_OFFSETS];
	struct names_symbol symbols[2];
	char bytes[10];
} answer;

static struct known_names known;

static void begin(void)
{
	answer.head =
		(struct names_head){.nr_symbols = 2, .nr_bytes = 10, .parts = NAME_PART_SYMTAB};
	memcpy(answer.numbers, ((uint32_t[]){1, 0, 2}), sizeof(answer.numbers));
	answer.symbols[0] = (struct names_symbol){.off = 100, .size = 20, .name = 0, .len = 4};
	answer.symbols[1] = (struct names_symbol){.off = 200, .size = 1, .name = 5, .len = 4};
	memcpy(answer.bytes, "main\0read", 10);
}

static void end(void)
{
	known_names_deinit(&known);
}

static void put(int fd, const void *part, size_t size)
{
	ck_assert_int_eq(write(fd, part, size), size);
}

/* Adds the answer about the offsets from @first on; bytes of names are the last @cut shorter. */
static int add(uint64_t first, size_t cut)
{
	int fd = memfd_create("answer", MFD_CLOEXEC), ret;
	uint64_t offsets[NR_OFFSETS] = {first, first + 1, first + 100};
	const u64_vec asked = {.data = offsets, .nr = NR_OFFSETS};

	ck_assert_int_ge(fd, 0);
	put(fd, &answer.head, sizeof(answer.head));
	put(fd, answer.numbers, sizeof(answer.numbers));
	put(fd, answer.symbols, sizeof(answer.symbols));
	put(fd, answer.bytes, sizeof(answer.bytes) - cut);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ret = known_names_add(&known, fd, &asked);
	close(fd);
	return ret;
}

static const struct known_symbol *find(uint64_t off)
{
	struct known_symbol *symbol;

	ck_assert(known_names_find(&known, off, &symbol));
	return symbol;
}

START_TEST(answers)
{
	struct known_symbol *none;

	ck_assert_int_eq(add(110, 0), 0);
	ck_assert_uint_eq(find(110)->off, 100);
	ck_assert_uint_eq(find(110)->size, 20);
	ck_assert_str_eq(known.bytes.data + find(110)->name, "main");
	ck_assert_ptr_null(find(111));
	ck_assert_str_eq(known.bytes.data + find(210)->name, "read");
	ck_assert(!known_names_find(&known, 112, &none));

	/* Another answer with the same symbols adds none. */
	ck_assert_int_eq(add(112, 0), 0);
	ck_assert_uint_eq(known.symbols.nr, 2);
	ck_assert_ptr_eq(find(112), find(110));

	ck_assert_uint_eq(known.parts, NAME_PART_SYMTAB);

	/* A symbol at a known place with another name is another one. */
	answer.bytes[0] = 'M';
	ck_assert_int_eq(add(114, 0), 0);
	ck_assert_uint_eq(known.symbols.nr, 3);
	ck_assert_str_eq(known.bytes.data + find(114)->name, "Main");
}
END_TEST

START_TEST(bounds_without_name)
{
	answer.symbols[0].len = 0;
	answer.symbols[0].name = 10;
	ck_assert_int_eq(add(110, 0), 0);
	ck_assert_uint_eq(find(110)->len, 0);
	ck_assert_uint_eq(find(110)->off, 100);
}
END_TEST

/* Expects that the answer is refused, and nothing is known. */
static void expect_refused(size_t cut)
{
	struct known_symbol *symbol;

	ck_assert_int_eq(add(110, cut), -EBADMSG);
	ck_assert(!known_names_find(&known, 110, &symbol));
	begin();
}

START_TEST(forged_answers)
{
	expect_refused(1);
	answer.head.nr_symbols = NR_OFFSETS + 1;
	expect_refused(0);
	answer.head.nr_symbols = UINT32_MAX;
	expect_refused(0);
	answer.head.parts = NAME_PARTS_ALL + 1;
	expect_refused(0);
	answer.head.nr_bytes = UINT32_MAX;
	expect_refused(0);
	answer.numbers[1] = 3;
	expect_refused(0);
	answer.symbols[1].off = UINT64_MAX;
	expect_refused(0);
	answer.symbols[1].name = 11;
	expect_refused(0);
	answer.symbols[1].name = 6; /* "ead" is shorter than it says */
	expect_refused(0);
	answer.symbols[1].len = 5; /* no NUL after it */
	expect_refused(0);
	answer.symbols[1].len = UINT32_MAX;
	expect_refused(0);
	answer.bytes[9] = 'x';
	expect_refused(0);
	ck_assert_int_eq(add(110, 0), 0);
}
END_TEST

SUITE_MAIN_WITH("known_names", begin, end, answers, bounds_without_name, forged_answers)
