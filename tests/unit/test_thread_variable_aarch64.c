// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/thread_variable.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define ADDR    0x200520
#define RUNTIME 0x37f000

static int parse(const uint32_t *insns, size_t len, struct thread_variable *found)
{
	uint8_t code[THREAD_VARIABLE_BYTES] = {0};

	memcpy(code, insns, len);
	return thread_variable_parse(code, ADDR, RUNTIME, found);
}
#define PARSE(insns, found) parse(insns, sizeof(insns), found)

/* libruby-3.1.so of Debian: mrs x1, tpidr_el0; stp; mov; adrp x0; ldr x2, [x0, #1000]; add x0, x0,
 * #1000; blr x2; ldr x0, [x1, x0] */
START_TEST(library_of_ruby)
{
	static const uint32_t code[] = {0xd53bd041, 0xa9bf7bfd, 0x910003fd, 0xf0000be0,
					0xf941f402, 0x910fa000, 0xd63f0040, 0xf8606820};
	struct thread_variable found = {0};

	ck_assert_int_eq(PARSE(code, &found), 0);
	ck_assert(found.is_in_block);
	ck_assert_int_eq(found.key, 0x37f3e8 - RUNTIME);
	ck_assert_int_eq(found.variable, 0);
}
END_TEST

/* stp; mrs x1, tpidr_el0; mov; adrp x0; ldr; add x0, x0, #16; blr; add x1, x1, x0; ldp; ldr x0,
 * [x1, #40] */
START_TEST(member_in_library)
{
	static const uint32_t code[] = {0xa9bf7bfd, 0xd53bd041, 0x910003fd, 0x90000100, 0xf9400802,
					0x91004000, 0xd63f0040, 0x8b000021, 0xa8c17bfd, 0xf9401420};
	struct thread_variable found = {0};

	ck_assert_int_eq(PARSE(code, &found), 0);
	ck_assert(found.is_in_block);
	ck_assert_int_eq(found.key, 0x220010 - RUNTIME);
	ck_assert_int_eq(found.variable, 40);
}
END_TEST

/* mrs x0, tpidr_el0; add x0, x0, #1, lsl #12; add x0, x0, #16; ldr x0, [x0, #40] */
START_TEST(executable)
{
	static const uint32_t code[] = {0xd53bd040, 0x91400400, 0x91004000, 0xf9401400};
	struct thread_variable found = {0};

	ck_assert_int_eq(PARSE(code, &found), 0);
	ck_assert(!found.is_in_block);
	ck_assert_int_eq(found.variable, 4096 + 16 + 40);
}
END_TEST

START_TEST(other_forms_are_refused)
{
	/* 3.11: adrp x0; add x0, x0, #0xff8; ldr x1, [x0, #600] */
	static const uint32_t key[] = {0x90002e20, 0x913fe000, 0xf9412c01, 0xd65f03c0};
	/* no call of the descriptor's function */
	static const uint32_t no_call[] = {0xd53bd041, 0xf0000be0, 0x910fa000, 0xf8606820};
	struct thread_variable found = {.key = 78};

	ck_assert_int_eq(PARSE(key, &found), -ENOENT);
	ck_assert_int_eq(PARSE(no_call, &found), -ENOENT);
	ck_assert_int_eq(found.key, 78);
}
END_TEST

SUITE_MAIN("thread_variable", library_of_ruby, member_in_library, executable,
	   other_forms_are_refused)
