// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules from the code of functions of arm64. */
#include "record/cfi/code_frames.h"

#include <string.h>

#include "tests/unit/suite.h"

#define START 0x1000

static struct code_frames frames;

static void begin(void)
{
	memset(&frames, 0, sizeof(frames));
}

static void end(void)
{
	code_frames_deinit(&frames);
}

/* Makes the rows of one gap, where a function begins. */
static void make(const uint32_t *code, size_t nr)
{
	struct code_gap gap = {START, (uint32_t)(nr * 4), 0};

	ck_assert(!vec_push(&frames.gaps, gap) && !vec_reserve(&frames.bytes, gap.size));
	memcpy(frames.bytes.data, code, gap.size);
	frames.bytes.nr = gap.size;
	ck_assert(!vec_push(&frames.starts, START));
	ck_assert_int_eq(code_frames_make(&frames), 0);
}

#define MAKE(...)                                                                                  \
	make((const uint32_t[]){__VA_ARGS__},                                                      \
	     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* The rule of the instruction @i. */
static struct unwind_rule rule_at(size_t i)
{
	struct unwind_rule rule = {0};

	vec_for_each(&frames.rows, row)
		if (row->addr <= START + i * 4)
			rule = row->rule;
	return rule;
}

/* How far the CFA is above sp, where it is known so. */
static int cfa_at(size_t i)
{
	const struct unwind_rule rule = rule_at(i);

	return rule.cfa == UNWIND_CFA_REG && rule.cfa_reg == UNWIND_REG_SP ? rule.cfa_off : -1;
}

static void check_unsaved(size_t i)
{
	const struct unwind_rule rule = rule_at(i);

	ck_assert_int_eq(cfa_at(i), 0);
	ck_assert_int_eq(rule.ra, UNWIND_RA_KEPT);
	ck_assert_int_eq(rule.kept, UNWIND_SAVED_SAME);
	ck_assert_int_eq(rule.fp, UNWIND_SAVED_SAME);
}

START_TEST(functions_with_a_frame)
{
	/* paciasp; stp x29, x30, [sp, #-48]!; mov x29, sp; str x19, [sp, #16]; nop;
	 * ldr x19, [sp, #16]; ldp x29, x30, [sp], #48; autiasp; ret */
	MAKE(0xd503233f, 0xa9bd7bfd, 0x910003fd, 0xf9000bf3, 0xd503201f, 0xf9400bf3, 0xa8c37bfd,
	     0xd50323bf, 0xd65f03c0);
	check_unsaved(0);
	check_unsaved(1);
	for (size_t i = 2; i < 7; i++) {
		const struct unwind_rule rule = rule_at(i);

		ck_assert_int_eq(cfa_at(i), 48);
		ck_assert_int_eq(rule.ra, UNWIND_RA_KEPT);
		ck_assert_int_eq(rule.kept, UNWIND_SAVED_CFA);
		ck_assert_int_eq(rule.kept_off, -40);
		ck_assert_int_eq(rule.fp, UNWIND_SAVED_CFA);
		ck_assert_int_eq(rule.fp_off, -48);
	}
	check_unsaved(7);
	check_unsaved(8);
	ck_assert_int_eq(cfa_at(9), -1);
}
END_TEST

/* As OPENSSL_cleanse of libcrypto, which has no call frame information. */
START_TEST(functions_without_a_frame)
{
	/* cbz x1, 1f; sub x1, x1, #1; strb wzr, [x0], #1; cbnz x1, ...; 1: ret */
	MAKE(0xb4000081, 0xd1000421, 0x3800141f, 0xb5ffffc1, 0xd65f03c0);
	for (size_t i = 0; i < 5; i++)
		check_unsaved(i);
}
END_TEST

/* As in libcrypto's multiplication of large numbers: x29 tells. */
START_TEST(arrays_on_the_stack)
{
	/* stp x29, x30, [sp, #-32]!; add x29, sp, #0; sub x9, sp, #64; and sp, x9, #-32; nop;
	 * mov sp, x29; ldp x29, x30, [sp], #32; ret */
	MAKE(0xa9be7bfd, 0x910003fd, 0xd10103e9, 0x927be93f, 0xd503201f, 0x910003bf, 0xa8c27bfd,
	     0xd65f03c0);
	ck_assert_int_eq(cfa_at(3), 32);
	ck_assert_int_eq(rule_at(4).cfa, UNWIND_CFA_REG);
	ck_assert_int_eq(rule_at(4).cfa_reg, UNWIND_REG_FP);
	ck_assert_int_eq(rule_at(4).cfa_off, 32);
	ck_assert_int_eq(rule_at(4).kept_off, -24);
	ck_assert_int_eq(cfa_at(6), 32);
	check_unsaved(7);
}
END_TEST

/* As in libcrypto's Poly1305 for NEON: one way loads x30 again, and another has not changed it. */
START_TEST(registers_that_are_loaded_again)
{
	/* stp x29, x30, [sp, #-32]!; cbz x0, 1f; bl ...; ldr x30, [sp, #8]; 1: nop;
	 * ldr x29, [sp], #32; ret */
	MAKE(0xa9be7bfd, 0xb4000060, 0x94000040, 0xf94007fe, 0xd503201f, 0xf84207fd, 0xd65f03c0);
	for (size_t i = 1; i < 6; i++) {
		ck_assert_int_eq(cfa_at(i), 32);
		ck_assert_int_eq(rule_at(i).kept_off, -24);
		ck_assert_int_eq(rule_at(i).fp_off, -32);
	}
	check_unsaved(6);
}
END_TEST

/* As in libcrypto's multiplication for NEON. x29 and x30 stay the caller's. */
START_TEST(copies_of_sp)
{
	/* stp x29, x30, [sp, #-80]!; mov x16, sp; sub x7, sp, #128; mov sp, x7; nop; cbz x0, 1f;
	 * 1: mov sp, x16; ldr x29, [sp], #80; ret */
	MAKE(0xa9bb7bfd, 0x910003f0, 0xd10203e7, 0x910000ff, 0xd503201f, 0xb4000020, 0x9100021f,
	     0xf84507fd, 0xd65f03c0);
	ck_assert_int_eq(cfa_at(3), 80);
	for (size_t i = 4; i < 7; i++) {
		ck_assert_int_eq(rule_at(i).cfa, UNWIND_CFA_REG);
		ck_assert_int_eq(rule_at(i).cfa_reg, 16);
		ck_assert_int_eq(rule_at(i).cfa_off, 80);
		ck_assert_int_eq(rule_at(i).fp_off, -80);
		ck_assert_int_eq(rule_at(i).kept_off, -72);
	}
	ck_assert_int_eq(cfa_at(7), 80);
	check_unsaved(8);
}
END_TEST

/* Two ways have different copies, and nothing tells any more. */
START_TEST(copies_that_differ)
{
	/* stp x29, x30, [sp, #-80]!; cbz x0, 1f; mov x16, sp; 1: mov sp, x7; ret */
	MAKE(0xa9bb7bfd, 0xb4000040, 0x910003f0, 0x910000ff, 0xd65f03c0);
	ck_assert_uint_eq(frames.rows.nr, 0);
}
END_TEST

START_TEST(roots)
{
	/* mov x29, #0; mov x30, #0; mov x0, sp; and sp, x0, #-16; bl ... */
	MAKE(0xd280001d, 0xd280001e, 0x910003e0, 0x927cec1f, 0x94000040, 0xd4200000);
	for (size_t i = 1; i < 6; i++)
		ck_assert_int_eq(rule_at(i).ra, UNWIND_RA_UNDEFINED);
}
END_TEST

START_TEST(handlers_return)
{
	/* ret; mov x8, #139; svc #0 */
	MAKE(0xd65f03c0, 0xd2801168, 0xd4000001);
	ck_assert_int_eq(rule_at(1).cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(rule_at(2).cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(rule_at(3).cfa, UNWIND_CFA_NONE);
}
END_TEST

/* The header, and two stubs, to which nothing leads. */
START_TEST(stubs)
{
	/* stp x16, x30, [sp, #-16]!; adrp x16, ...; ldr x17, [x16, #8]; add x16, x16, #8; br x17;
	 * nop, three times; adrp x16, ...; ldr x17, [x16, #16]; add x16, x16, #16; br x17 */
	MAKE(0xa9bf7bf0, 0x90000010, 0xf9400611, 0x91002210, 0xd61f0220, 0xd503201f, 0xd503201f,
	     0xd503201f, 0x90000010, 0xf9400a11, 0x91004210, 0xd61f0220, 0x90000010, 0xf9400e11,
	     0x91006210, 0xd61f0220);
	check_unsaved(0);
	ck_assert_int_eq(cfa_at(1), 16);
	ck_assert_int_eq(cfa_at(4), 16);
	ck_assert_int_eq(rule_at(4).kept_off, -8);
	ck_assert_int_eq(rule_at(4).fp, UNWIND_SAVED_SAME);
	ck_assert_int_eq(cfa_at(5), -1);
	for (size_t i = 8; i < 16; i++)
		check_unsaved(i);
}
END_TEST

/* A call has taken the caller's x30, and nothing has it. */
START_TEST(lost_return_addresses)
{
	/* bl ...; nop; str x30, [sp, #-16]!; brk #0 */
	MAKE(0x94000040, 0xd503201f, 0xf81f0ffe, 0xd4200000);
	check_unsaved(0);
	ck_assert_int_eq(rule_at(1).cfa, UNWIND_CFA_NONE);
	ck_assert_int_eq(rule_at(3).cfa, UNWIND_CFA_NONE);
}
END_TEST

/* Behind a call that never returns, another function begins. */
START_TEST(calls_that_never_return)
{
	/* str x30, [sp, #-16]!; bl 2f; 1: sub sp, sp, #32; b 3f; 2: brk #0; 3: add sp, sp, #32;
	 * ret */
	MAKE(0xf81f0ffe, 0x94000003, 0xd10083ff, 0x14000002, 0xd4200000, 0x910083ff, 0xd65f03c0);
	ck_assert_int_eq(cfa_at(1), 16);
	check_unsaved(2);
	ck_assert_int_eq(cfa_at(3), 32);
	ck_assert_int_eq(cfa_at(5), 32);
	check_unsaved(6);
}
END_TEST

START_TEST(parts_that_a_table_leads_to)
{
	/* stp x29, x30, [sp, #-16]!; br x2; sub sp, sp, #16; add sp, sp, #16; ret */
	MAKE(0xa9bf7bfd, 0xd61f0040, 0xd10043ff, 0x910043ff, 0xd65f03c0);
	ck_assert_int_eq(cfa_at(1), 16);
	ck_assert_int_eq(cfa_at(2), -1);
	ck_assert_int_eq(cfa_at(4), -1);
}
END_TEST

/* What other code takes is tried when nothing leads there. */
START_TEST(addresses_that_are_taken)
{
	ck_assert(!vec_push(&frames.taken, START + 8));
	/* ret; udf #1; sub sp, sp, #16; add sp, sp, #16; ret */
	MAKE(0xd65f03c0, 0x00000001, 0xd10043ff, 0x910043ff, 0xd65f03c0);
	check_unsaved(0);
	ck_assert_int_eq(cfa_at(1), -1);
	check_unsaved(2);
	ck_assert_int_eq(cfa_at(3), 16);
}
END_TEST

START_TEST(what_is_not_known_has_no_rules)
{
	static const struct {
		uint32_t code[4];
		size_t nr;
	} all[] = {
		{{0xb4000040, 0xd10043ff, 0xd503201f, 0xd65f03c0}, 4}, /* cbz x0, 1f; sub sp, ... */
		{{0xb4000040, 0xaa0103fe, 0xd503201f, 0xd65f03c0}, 4}, /* ...; mov x30, x1; 1: */
		{{0xd10043ff, 0xd65f03c0}, 2},                         /* sub sp, sp, #16; ret */
		{{0x94000040, 0xd65f03c0}, 2},                         /* bl ...; ret */
		{{0x9100001f, 0xd65f03c0}, 2},                         /* mov sp, x0; ret */
		{{0x02000000, 0xd65f03c0}, 2},                         /* no instruction */
		{{0xd503201f, 0xd503201f}, 2},                         /* it runs on */
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		end();
		begin();
		make(all[i].code, all[i].nr);
		ck_assert_msg(!frames.rows.nr, "code %zu", i);
	}
}
END_TEST

SUITE_MAIN_WITH("code_frames_aarch64", begin, end, functions_with_a_frame,
		functions_without_a_frame, arrays_on_the_stack, registers_that_are_loaded_again,
		copies_of_sp, copies_that_differ, roots, handlers_return, stubs,
		lost_return_addresses, calls_that_never_return, parts_that_a_table_leads_to,
		addresses_that_are_taken, what_is_not_known_has_no_rules)
