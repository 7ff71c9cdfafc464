// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/coroutines.h"
#include "tests/unit/suite.h"

/* nop ..., ret, push %rbp; jmp *%rbx, and what comes after it. */
static uint8_t code[128];

static void make_code(uint64_t begin)
{
	memset(code, 0x90, sizeof(code));
	memcpy(code + begin, "\x55\xff\xe3", 3);
	if (begin)
		code[begin - 1] = 0xc3;
}

static void expect(uint64_t size, uint64_t want, bool is_leaf)
{
	uint64_t begin = 0;
	bool leaf = !is_leaf;

	ck_assert(fcontext_find_begin(code, size, &begin, &leaf));
	ck_assert_uint_eq(begin, want);
	ck_assert_int_eq(leaf, is_leaf);
}

/* Short code that returns right before leaves the stack alone. */
START_TEST(the_coroutine_jumps)
{
	uint64_t begin;
	bool is_leaf;

	for (uint64_t at = 1; at <= 66; at++) {
		make_code(at);
		expect(sizeof(code), at, at <= 64);
		expect(at + 3, at, at <= 64);
		ck_assert(!fcontext_find_begin(code, at + 2, &begin, &is_leaf));
	}
	code[65] = 0x90;
	expect(sizeof(code), 66, false);
	make_code(20);
	code[19] = 0x90;
	expect(sizeof(code), 20, false);
	make_code(0);
	expect(sizeof(code), 0, false);
}
END_TEST

SUITE_MAIN("coroutines_x86_64", the_coroutine_jumps)
