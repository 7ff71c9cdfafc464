// SPDX-License-Identifier: GPL-2.0-or-later
/* Single instructions of A64: where they lead, and what they do to a frame. */
#include "record/cfi/code_step.h"

#include <string.h>

#include "tests/unit/suite.h"

#define ADDR 0x1000

static bool step_over(uint32_t word, struct code_state *state, struct code_step *step)
{
	uint8_t code[4];

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = word >> 8 * i;
	return code_step(code, sizeof(code), ADDR, state, step);
}

static const uint32_t plain[] = {
	0xd503201f, /* nop */
	0x8b020020, /* add x0, x1, x2 */
	0xf10043ff, /* cmp sp, #16 */
	0xb10007bf, /* cmn x29, #1 */
	0xf240081f, /* tst x0, #7 */
	0x92400820, /* and x0, x1, #7 */
	0xa9410440, /* ldp x0, x1, [x2, #16] */
	0xa90107e0, /* stp x0, x1, [sp, #16] */
	0xf94007e0, /* ldr x0, [sp, #8] */
	0xb8804420, /* ldrsw x0, [x1], #4 */
	0x3d8007e8, /* str q8, [sp, #16] */
	0xf9802020, /* prfm pldl1keep, [x1, #64] */
	0xf8a26820, /* prfm pldl1keep, [x1, x2] */
	0x58000040, /* ldr x0, .+8 */
	0xd8000040, /* prfm pldl1keep, .+8 */
	0x9c00009e, /* ldr q30, .+16 */
	0xc85f7c20, /* ldxr x0, [x1] */
	0xc89ffc20, /* stlr x0, [x1] */
	0xc8a07c41, /* cas x0, x1, [x2] */
	0xf8200041, /* ldadd x0, x1, [x2] */
	0xf8201c20, /* ldraa x0, [x1, #8]! */
	0x4cdf7020, /* ld1 {v0.16b}, [x1], #16 */
	0x4c0063fd, /* st1 {v29.16b-v31.16b}, [sp] */
	0x3ce1681d, /* ldr q29, [x0, x1] */
	0x4e286bdd, /* aesmc v29.16b, v30.16b */
	0x9e67001d, /* fmov d29, x0 */
	0x9e62001d, /* scvtf d29, x0 */
	0x1e03f01e, /* ucvtf s30, w0, #4 */
	0x4e080c7e, /* dup v30.2d, x3 */
	0x4e183fa0, /* umov x0, v29.d[1] */
	0x04215020, /* addvl x0, x1, #1 */
	0xa5e0a01d, /* ld1d {z29.d}, p0/z, [x0] */
	0xd53bd040, /* mrs x0, tpidr_el0 */
	0xd51bd05e, /* msr tpidr_el0, x30 */
	0xd4000001, /* svc #0 */
	0xd503233f, /* paciasp */
	0xd50323bf, /* autiasp */
	0xd503245f, /* bti c */
	0xd5033bbf, /* dmb ish */
	0xdac103fe, /* pacia x30, sp */
	0xdac143fe, /* xpaci x30 */
	0xfa410000, /* ccmp x0, x1, #0, eq */
	0xd9408020, /* ldapur x0, [x1, #8] */
	0xd2800020, /* movz x0, #1 */
	0xd3421020, /* ubfx x0, x1, #2, #3 */
	0x93c20c20, /* extr x0, x1, x2, #3 */
	0x9a820020, /* csel x0, x1, x2, eq */
	0xad0027e8, /* stp q8, q9, [sp] */
	0x6d407bfd, /* ldp d29, d30, [sp] */
	0xa80007e0, /* stnp x0, x1, [sp] */
	0x91810420, /* addg x0, x1, #16, #1 */
	0x9adf1020, /* irg x0, x1 */
	0x9ac117e0, /* gmi x0, sp, x1 */
	0xeb2063ff, /* cmp sp, x0 */
};

START_TEST(plain_instructions)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		struct code_state state = {.sp = 48, .saved_kept = 8};
		const struct code_state before = state;
		struct code_step step;

		ck_assert_msg(step_over(plain[i], &state, &step), "%08x", plain[i]);
		ck_assert_int_eq(step.flow, CODE_GOES_ON);
		ck_assert_uint_eq(step.size, 4);
		ck_assert_uint_eq(step.target | step.refers, 0);
		ck_assert_msg(!memcmp(&state, &before, sizeof(state)), "%08x", plain[i]);
	}
}
END_TEST

static const struct {
	uint32_t word;
	enum code_flow flow;
	uint64_t target;
} flow_steps[] = {
	{0x14000004, CODE_JUMPS, ADDR + 0x10},    /* b .+0x10 */
	{0x17fffff8, CODE_JUMPS, ADDR - 0x20},    /* b .-0x20 */
	{0x94000040, CODE_CALLS, ADDR + 0x100},   /* bl .+0x100 */
	{0x54ffffe1, CODE_BRANCHES, ADDR - 4},    /* b.ne .-4 */
	{0xb4000100, CODE_BRANCHES, ADDR + 0x20}, /* cbz x0, .+0x20 */
	{0x35fffe1e, CODE_BRANCHES, ADDR - 0x40}, /* cbnz w30, .-0x40 */
	{0xb6080040, CODE_BRANCHES, ADDR + 8},    /* tbz x0, #33, .+8 */
	{0x371ffc00, CODE_BRANCHES, ADDR - 0x80}, /* tbnz x0, #3, .-0x80 */
	{0xd63f0040, CODE_CALLS, 0},              /* blr x2 */
	{0xd73f0843, CODE_CALLS, 0},              /* blraa x2, x3 */
	{0xd63f085f, CODE_CALLS, 0},              /* blraaz x2 */
	{0xd61f0040, CODE_JUMPS_FAR, 0},          /* br x2 */
	{0xd71f0843, CODE_JUMPS_FAR, 0},          /* braa x2, x3 */
	{0xd61f0200, CODE_LEAVES, 0},             /* br x16 */
	{0xd61f0220, CODE_LEAVES, 0},             /* br x17 */
	{0xd65f03c0, CODE_RETURNS, 0},            /* ret */
	{0xd65f0bff, CODE_RETURNS, 0},            /* retaa */
	{0xd65f0fff, CODE_RETURNS, 0},            /* retab */
	{0xd4200020, CODE_STOPS, 0},              /* brk #1 */
	{0xd4400020, CODE_STOPS, 0},              /* hlt #1 */
	{0x00000000, CODE_STOPS, 0},              /* udf #0 */
	{0x00000007, CODE_STOPS, 0},              /* udf #7 */
};

START_TEST(flows)
{
	for (size_t i = 0; i < ARRAY_SIZE(flow_steps); i++) {
		struct code_state state = code_state_at_entry();
		struct code_step step;

		ck_assert_msg(step_over(flow_steps[i].word, &state, &step) && step.size == 4 &&
				      step.flow == flow_steps[i].flow &&
				      step.target == flow_steps[i].target,
			      "%08x", flow_steps[i].word);
	}
}
END_TEST

static bool returns_with(struct code_state state)
{
	struct code_step step;

	return step_over(0xd65f03c0, &state, &step);
}

static bool leaves_with(struct code_state state)
{
	struct code_step step;

	return step_over(0xd61f0220, &state, &step); /* br x17 */
}

START_TEST(where_a_function_is_left)
{
	ck_assert(returns_with(code_state_at_entry()));
	ck_assert(returns_with((struct code_state){.has_lost_fp = 1}));
	ck_assert(!returns_with((struct code_state){.sp = 16}));
	ck_assert(!returns_with((struct code_state){.sp = CODE_NOT_KNOWN, .fp = 16}));
	ck_assert(!returns_with((struct code_state){.has_lost_kept = 1}));
	ck_assert(!returns_with((struct code_state){.is_root = 1}));
	ck_assert(leaves_with(code_state_at_entry()));
	/* The header of a PLT; and a frame that would be left behind. */
	ck_assert(leaves_with((struct code_state){.sp = 16, .saved_kept = 8}));
	ck_assert(!leaves_with((struct code_state){.sp = 32, .saved_kept = 8}));
	ck_assert(!leaves_with((struct code_state){.sp = 16, .saved_fp = 16, .saved_kept = 8}));
}
END_TEST

static const uint32_t refused[] = {
	0x48207c82, /* casp x0, x1, x2, x3, [x4] */
	0x9a01201f, /* addpt sp, x0, x1 */
	0xda01201f, /* subpt sp, x0, x1 */
	0x02000000, /* .inst 0x02000000 */
	0x80000000, /* .inst 0x80000000 */
	0x94000001, /* bl .+4 */
	0xd65f0020, /* ret x1 */
	0xd69f03e0, /* eret */
	0xd4000002, /* hvc #0 */
	0xd4000003, /* smc #0 */
	0xe8000000, /* .inst 0xe8000000 */
	0x04fe03bd, /* add z29.d, z29.d, z30.d */
	0x0420503d, /* addvl x29, x0, #1 */
	0x04f0e3fe, /* incd x30 */
	0xc8bd7c20, /* cas x29, x0, [x1] */
	0xc87f7420, /* ldxp x0, x29, [x1] */
	0xc81e7c20, /* stxr w30, x0, [x1] */
	0x4cdf73e0, /* ld1 {v0.16b}, [sp], #16 */
	0xf8201fe0, /* ldraa x0, [sp, #8]! */
	0xf83fd016, /* ld64b x22, [x0] */
	0xd940001d, /* ldapur x29, [x0] */
	0xd92017ff, /* stg sp, [sp], #16 */
	0x918107ff, /* addg sp, sp, #16, #1 */
	0x9adf101f, /* irg sp, x0 */
	0xe9400000, /* .inst 0xe9400000 */
};

START_TEST(what_is_refused)
{
	struct code_state state = code_state_at_entry();
	const uint8_t nop[8] = {0x1f, 0x20, 0x03, 0xd5};
	struct code_step step;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		state = code_state_at_entry();
		ck_assert_msg(!step_over(refused[i], &state, &step), "%08x", refused[i]);
	}
	for (size_t size = 0; size < 4; size++)
		ck_assert(!code_step(nop, size, ADDR, &state, &step));
	ck_assert(!code_step(nop, 4, ADDR + 2, &state, &step));
	/* blr x2, which may change the one register that tells where the frame is */
	state = (struct code_state){.sp = CODE_NOT_KNOWN, .copy = 80, .copy_reg = 16};
	ck_assert(!step_over(0xd63f0040, &state, &step));
}
END_TEST

#define LOST    CODE_NOT_KNOWN
#define REFUSED (-1)

/* The function has saved x29 and x30, has made a frame, and 16 bytes more are on the stack. */
static const struct code_state in_frame = {.sp = 48, .fp = 32, .saved_fp = 32, .saved_kept = 24};

static const struct {
	uint32_t word;
	int32_t sp;
} stack_steps[] = {
	{0xd10043ff, 64},       /* sub sp, sp, #16 */
	{0x910043ff, 32},       /* add sp, sp, #16 */
	{0x9100c3ff, 0},        /* add sp, sp, #48 */
	{0x910103ff, REFUSED},  /* add sp, sp, #64 */
	{0xd14007ff, 4144},     /* sub sp, sp, #1, lsl #12 */
	{0xd17fffff, 16773168}, /* sub sp, sp, #4095, lsl #12 */
	{0x510043ff, REFUSED},  /* sub wsp, wsp, #16 */
	{0xa9bf53f3, 64},       /* stp x19, x20, [sp, #-16]! */
	{0xa8c153f3, 32},       /* ldp x19, x20, [sp], #16 */
	{0xf81e0ff3, 80},       /* str x19, [sp, #-32]! */
	{0xf84207f3, 16},       /* ldr x19, [sp], #32 */
	{0x3c9f0fe8, 64},       /* str q8, [sp, #-16]! */
	{0x6cc127e8, 32},       /* ldp d8, d9, [sp], #16 */
	{0xadbf27e8, 80},       /* stp q8, q9, [sp, #-32]! */
	{0x384017e0, 47},       /* ldrb w0, [sp], #1 */
	{0xa8c407e0, REFUSED},  /* ldp x0, x1, [sp], #64 */
	{0x69bf87e0, 64},       /* stgp x0, x1, [sp, #-16]! */
	{0x68c107e0, 40},       /* ldpsw x0, x1, [sp], #8 */
	{0x910003bf, 32},       /* mov sp, x29 */
	{0xd10043bf, 48},       /* sub sp, x29, #16 */
	{0x910083bf, 0},        /* add sp, x29, #32 */
	{0x9100c3bf, REFUSED},  /* add sp, x29, #48 */
	{0x9100001f, LOST},     /* mov sp, x0 */
	{0x927cec1f, LOST},     /* and sp, x0, #-16 */
	{0xcb2063ff, LOST},     /* sub sp, sp, x0 */
	{0x4b2043ff, LOST},     /* sub wsp, wsp, w0 */
	{0xf27cec1f, 48},       /* ands xzr, x0, #-16 */
	{0xeb2063ff, 48},       /* cmp sp, x0 */
	{0xf10043ff, 48},       /* subs xzr, sp, #16 */
	{0x94000040, 48},       /* bl .+0x100 */
	{0x910003e0, 48},       /* mov x0, sp */
};

START_TEST(stacks)
{
	for (size_t i = 0; i < ARRAY_SIZE(stack_steps); i++) {
		struct code_state state = in_frame;
		struct code_step step;
		bool is_right = step_over(stack_steps[i].word, &state, &step);

		ck_assert_msg(is_right == (stack_steps[i].sp != REFUSED), "%08x",
			      stack_steps[i].word);
		ck_assert_msg(!is_right || state.sp == stack_steps[i].sp, "%08x: %d",
			      stack_steps[i].word, state.sp);
	}
}
END_TEST

/* Without a frame, nothing tells where the stack is that has been aligned. */
START_TEST(a_stack_is_lost)
{
	struct code_state state = code_state_at_entry();
	struct code_step step;

	ck_assert(!step_over(0x9100001f, &state, &step)); /* mov sp, x0 */
}
END_TEST

/* Where the caller's x29 and x30 are. */
static const struct {
	uint32_t word;
	struct code_state before, after;
} save_steps[] = {
	/* stp x29, x30, [sp, #-32]! */
	{0xa9be7bfd, {.sp = 0}, {.sp = 32, .saved_fp = 32, .saved_kept = 24}},
	/* stp x30, x29, [sp, #-32]! */
	{0xa9be77fe, {.sp = 0}, {.sp = 32, .saved_fp = 24, .saved_kept = 32}},
	/* str x30, [sp, #-16]! */
	{0xf81f0ffe, {.sp = 0}, {.sp = 16, .saved_kept = 16}},
	/* stp x29, x30, [sp, #16] */
	{0xa9017bfd, {.sp = 32}, {.sp = 32, .saved_fp = 16, .saved_kept = 8}},
	/* stp x19, x30, [sp, #8] */
	{0xa900fbf3, {.sp = 32}, {.sp = 32, .saved_kept = 16}},
	/* stur x29, [sp, #8] */
	{0xf80083fd, {.sp = 32}, {.sp = 32, .saved_fp = 24}},
	/* str x30, [sp, #24] */
	{0xf9000ffe, {.sp = 32}, {.sp = 32, .saved_kept = 8}},
	/* str w30, [sp, #24] */
	{0xb9001bfe, {.sp = 32}, {.sp = 32}},
	/* str d30, [sp, #24] */
	{0xfd000ffe, {.sp = 32}, {.sp = 32}},
	/* str x30, [x0, #24] */
	{0xf9000c1e, {.sp = 32}, {.sp = 32}},
	/* str x30, [sp, x0] */
	{0xf8206bfe, {.sp = 32}, {.sp = 32}},
	/* Outside of the frame. */
	/* str x30, [sp, #32] */
	{0xf90013fe, {.sp = 32}, {.sp = 32}},
	/* stur x30, [sp, #-8] */
	{0xf81f83fe, {.sp = 32}, {.sp = 32}},
	/* Along x29. */
	/* str x30, [x29, #8] */
	{0xf90007be,
	 {.sp = 32, .fp = 16, .saved_fp = 16, .has_lost_fp = 1},
	 {.sp = 32, .fp = 16, .saved_fp = 16, .saved_kept = 8, .has_lost_fp = 1}},
	/* ldr x30, [x29, #8] */
	{0xf94007be,
	 {.sp = LOST,
	  .fp = 16,
	  .saved_fp = 16,
	  .saved_kept = 8,
	  .has_lost_fp = 1,
	  .has_lost_kept = 1},
	 {.sp = LOST, .fp = 16, .saved_fp = 16, .saved_kept = 8, .has_lost_fp = 1}},
	/* Another value than the caller's, and a second copy of that. */
	/* stp x29, x30, [sp, #16] */
	{0xa9017bfd,
	 {.sp = 32, .has_lost_fp = 1, .has_lost_kept = 1},
	 {.sp = 32, .has_lost_fp = 1, .has_lost_kept = 1}},
	/* str x30, [sp] */
	{0xf90003fe, {.sp = 32, .saved_kept = 8}, {.sp = 32, .saved_kept = 8}},
	/* What is written over, as a whole or in part, or taken off the stack. */
	/* str x0, [sp, #24] */
	{0xf9000fe0, {.sp = 32, .saved_kept = 8}, {.sp = 32}},
	/* strb w0, [sp, #31] */
	{0x39007fe0,
	 {.sp = 32, .saved_kept = 8, .has_lost_kept = 1},
	 {.sp = 32, .has_lost_kept = 1}},
	/* str q0, [sp, #16] */
	{0x3d8007e0, {.sp = 32, .saved_fp = 16, .saved_kept = 8}, {.sp = 32}},
	/* str x0, [sp, #16] */
	{0xf9000be0,
	 {.sp = 32, .saved_fp = 24, .saved_kept = 8},
	 {.sp = 32, .saved_fp = 24, .saved_kept = 8}},
	/* add sp, sp, #16 */
	{0x910043ff,
	 {.sp = 32, .saved_fp = 32, .saved_kept = 24, .has_lost_fp = 1},
	 {.sp = 16, .has_lost_fp = 1}},
	/* Loads. */
	/* ldp x29, x30, [sp], #32 */
	{0xa8c27bfd,
	 {.sp = 32,
	  .fp = 32,
	  .saved_fp = 32,
	  .saved_kept = 24,
	  .has_lost_fp = 1,
	  .has_lost_kept = 1},
	 {.sp = 0}},
	/* ldp x29, x30, [sp] */
	{0xa9407bfd,
	 {.sp = 32, .saved_fp = 32, .saved_kept = 24, .has_lost_kept = 1},
	 {.sp = 32, .saved_fp = 32, .saved_kept = 24}},
	/* ldr x30, [sp, #16] */
	{0xf9400bfe,
	 {.sp = 32, .saved_kept = 24, .has_lost_kept = 1},
	 {.sp = 32, .saved_kept = 24, .has_lost_kept = 1}},
	/* ldr w30, [sp, #8] */
	{0xb9400bfe,
	 {.sp = 32, .saved_kept = 24},
	 {.sp = 32, .saved_kept = 24, .has_lost_kept = 1}},
	/* ldp x29, x30, [x0] */
	{0xa940781d, {.sp = 32, .fp = 16}, {.sp = 32, .has_lost_fp = 1, .has_lost_kept = 1}},
	/* ldp d29, d30, [sp] */
	{0x6d407bfd,
	 {.sp = 32, .saved_fp = 32, .saved_kept = 24},
	 {.sp = 32, .saved_fp = 32, .saved_kept = 24}},
	/* ldpsw x29, x0, [sp] */
	{0x694003fd, {.sp = 32}, {.sp = 32, .has_lost_fp = 1}},
	/* ldr x30, [x0, x1] */
	{0xf861681e, {.sp = 32}, {.sp = 32, .has_lost_kept = 1}},
	/* ldr x30, .+8 */
	{0x5800005e, {.sp = 32}, {.sp = 32, .has_lost_kept = 1}},
	/* ldraa x30, [x0, #8] */
	{0xf820141e, {.sp = 32}, {.sp = 32, .has_lost_kept = 1}},
	/* ldadd x0, x30, [x1] */
	{0xf820003e, {.sp = 32}, {.sp = 32, .has_lost_kept = 1}},
	/* swp x0, x29, [x1] */
	{0xf820803d, {.sp = 32}, {.sp = 32, .has_lost_fp = 1}},
	/* ldr x0, [x29], #8 */
	{0xf84087a0, {.sp = 32, .fp = 16, .has_lost_fp = 1}, {.sp = 32, .has_lost_fp = 1}},
	/* ld1 {v0.16b}, [x30], #16 */
	{0x4cdf73c0, {.sp = 32}, {.sp = 32, .has_lost_kept = 1}},
	/* Where x29 points to. */
	/* mov x29, sp */
	{0x910003fd,
	 {.sp = 32, .saved_fp = 32},
	 {.sp = 32, .fp = 32, .saved_fp = 32, .has_lost_fp = 1}},
	/* add x29, sp, #16 */
	{0x910043fd,
	 {.sp = 32, .saved_fp = 16},
	 {.sp = 32, .fp = 16, .saved_fp = 16, .has_lost_fp = 1}},
	/* add x29, sp, #32 */
	{0x910083fd, {.sp = 32, .saved_fp = 16}, {.sp = 32, .saved_fp = 16, .has_lost_fp = 1}},
	/* sub x29, sp, #8 */
	{0xd10023fd, {.sp = 32, .saved_fp = 16}, {.sp = 32, .saved_fp = 16, .has_lost_fp = 1}},
	/* add w29, wsp, #16 */
	{0x110043fd, {.sp = 32, .saved_fp = 16}, {.sp = 32, .saved_fp = 16, .has_lost_fp = 1}},
	/* adds x29, sp, #16 */
	{0xb10043fd, {.sp = 32, .saved_fp = 16}, {.sp = 32, .saved_fp = 16, .has_lost_fp = 1}},
	/* mov x29, sp */
	{0x910003fd,
	 {.sp = LOST, .fp = 16, .saved_fp = 16, .has_lost_fp = 1},
	 {.sp = LOST, .saved_fp = 16, .has_lost_fp = 1}},
	/* Other instructions that write x29 or x30. */
	/* mov x29, x0 */
	{0xaa0003fd, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* add x29, x29, #8 */
	{0x910023bd, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* and x29, x0, #7 */
	{0x9240081d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* movz x29, #1 */
	{0xd280003d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* movk x29, #1, lsl #16 */
	{0xf2a0003d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* ubfx x29, x0, #2, #3 */
	{0xd342101d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* extr x29, x0, x1, #3 */
	{0x93c10c1d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* madd x29, x0, x1, x2 */
	{0x9b01081d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* csel x29, x0, x1, eq */
	{0x9a81001d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* adr x29, . */
	{0x1000001d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* mrs x29, tpidr_el0 */
	{0xd53bd05d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* fmov x29, d0 */
	{0x9e66001d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* fcvtzs w29, s0 */
	{0x1e38001d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* fcvtzs x29, d0, #3 */
	{0x9e58f41d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* umov x29, v0.d[1] */
	{0x4e183c1d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* smov x29, v0.s[1] */
	{0x4e0c2c1d, {.sp = 16, .fp = 16}, {.sp = 16, .has_lost_fp = 1}},
	/* mov x30, x0 */
	{0xaa0003fe, {.sp = 16}, {.sp = 16, .has_lost_kept = 1}},
	/* bl .+0x100 */
	{0x94000040, {.sp = 16}, {.sp = 16, .has_lost_kept = 1}},
	/* blr x0 */
	{0xd63f0000, {.sp = 16, .saved_kept = 8}, {.sp = 16, .saved_kept = 8, .has_lost_kept = 1}},
	/* Nobody has called what clears x29 before all else. */
	/* mov x29, #0 */
	{0xd280001d, {.sp = 0}, {.sp = 0, .has_lost_fp = 1, .is_root = 1}},
	/* mov x29, xzr */
	{0xaa1f03fd, {.sp = 0}, {.sp = 0, .has_lost_fp = 1, .is_root = 1}},
	/* mov x29, #0 */
	{0xd280001d, {.sp = 16, .saved_fp = 16}, {.sp = 16, .saved_fp = 16, .has_lost_fp = 1}},
	/* mov x29, #0 */
	{0xd280001d, {.sp = 16, .has_lost_fp = 1}, {.sp = 16, .has_lost_fp = 1}},
	/* ldp x0, x1, [sp], #16 */
	{0xa8c107e0, {.sp = 0, .is_root = 1}, {.sp = 0, .is_root = 1}},
	/* and sp, x0, #-16 */
	{0x927cec1f, {.sp = 0, .is_root = 1}, {.sp = LOST, .is_root = 1}},
	/* sub sp, x0, #16 */
	{0xd100401f, {.sp = 0, .is_root = 1}, {.sp = LOST, .is_root = 1}},
};

START_TEST(saved_registers)
{
	for (size_t i = 0; i < ARRAY_SIZE(save_steps); i++) {
		struct code_state state = save_steps[i].before;
		struct code_step step;

		ck_assert_msg(step_over(save_steps[i].word, &state, &step) &&
				      !memcmp(&state, &save_steps[i].after, sizeof(state)),
			      "%zu: %08x", i, save_steps[i].word);
	}
}
END_TEST

/* A register that has been sp, where that is another value by then. */
static const struct {
	uint32_t word;
	struct code_state before, after;
} copy_steps[] = {
	/* mov x16, sp; and a second one; mov x29, sp */
	{0x910003f0, {.sp = 80}, {.sp = 80, .copy = 80, .copy_reg = 16}},
	{0x910003f3,
	 {.sp = 64, .copy = 80, .copy_reg = 16},
	 {.sp = 64, .copy = 80, .copy_reg = 16}},
	{0x910003f0, {.sp = LOST, .fp = 16}, {.sp = LOST, .fp = 16}},
	/* mov sp, x7; st1 {v2.2d, v3.2d}, [sp], #32; mov sp, x16; sub sp, x16, #16 */
	{0x910000ff,
	 {.sp = 80, .copy = 80, .copy_reg = 16},
	 {.sp = LOST, .copy = 80, .copy_reg = 16}},
	{0x4c9fafe2,
	 {.sp = LOST, .copy = 80, .copy_reg = 16},
	 {.sp = LOST, .copy = 80, .copy_reg = 16}},
	{0x9100021f,
	 {.sp = LOST, .copy = 80, .copy_reg = 16},
	 {.sp = 80, .copy = 80, .copy_reg = 16}},
	{0xd100421f,
	 {.sp = LOST, .copy = 80, .copy_reg = 16},
	 {.sp = 96, .copy = 80, .copy_reg = 16}},
	/* It gets another value: mov x16, x0; ldr x16, [x0]; ldxr x16, [x0]; cas x16, x1, [x0];
	 * addvl x16, x1, #1; addg x16, x1, #16, #1; blr x2, which may change it, but not x19 */
	{0xaa0003f0, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xf9400010, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xc85f7c10, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xc8b07c01, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0x04215030, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0x91810430, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xd63f0040, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80, .has_lost_kept = 1}},
	/* pacia1716, which signs x17; chkfeat x16; nop; mov x0, sp: there is no number for it */
	{0xd503211f, {.sp = 80, .copy = 80, .copy_reg = 17}, {.sp = 80}},
	{0xd503251f, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xd503201f,
	 {.sp = 80, .copy = 80, .copy_reg = 16},
	 {.sp = 80, .copy = 80, .copy_reg = 16}},
	{0x910003e0, {.sp = 80}, {.sp = 80}},
	/* ldraa x0, [x16, #8]!; st64bv x16, x0, [x1] */
	{0xf8201e00, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xf830b020, {.sp = 80, .copy = 80, .copy_reg = 16}, {.sp = 80}},
	{0xd63f0040,
	 {.sp = 80, .copy = 80, .copy_reg = 19},
	 {.sp = 80, .copy = 80, .copy_reg = 19, .has_lost_kept = 1}},
};

START_TEST(copies_of_sp)
{
	for (size_t i = 0; i < ARRAY_SIZE(copy_steps); i++) {
		struct code_state state = copy_steps[i].before;
		struct code_step step;

		ck_assert_msg(step_over(copy_steps[i].word, &state, &step) &&
				      !memcmp(&state, &copy_steps[i].after, sizeof(state)),
			      "%zu: %08x", i, copy_steps[i].word);
	}
}
END_TEST

static uint64_t refers(uint32_t first, uint32_t second, size_t size)
{
	struct code_state state = code_state_at_entry();
	uint32_t code[] = {first, second};
	struct code_step step;

	ck_assert(code_step((const uint8_t *)code, size, ADDR + 4, &state, &step));
	return step.refers;
}

/* adrp x1, .+0x3000; add x1, x1, #0x128, and others */
START_TEST(what_is_taken)
{
	ck_assert_uint_eq(refers(0x10000080, 0, 4), 0); /* adr x0, .+16 */
	ck_assert_uint_eq(refers(0x10000081, 0x9104a021, 8), 0);
	ck_assert_uint_eq(refers(0xf0000001, 0x9104a021, 8), ADDR + 0x3000 + 0x128);
	ck_assert_uint_eq(refers(0xf0000001, 0x9104a021, 4), 0);
	ck_assert_uint_eq(refers(0xf0000001, 0x9104a022, 8), 0); /* of another register */
	ck_assert_uint_eq(refers(0xf0000001, 0xf9404021, 8), 0); /* ldr */
}
END_TEST

START_TEST(what_is_found)
{
	/* nop; mov x8, #139; svc #0; a word of zeros */
	static const uint32_t code[] = {0xd503201f, 0xd2801168, 0xd4000001, 0};
	const uint8_t *bytes = (const uint8_t *)code;
	struct code_state state;
	uint32_t nr = 0;

	ck_assert_uint_eq(code_find_handler_return(bytes, 16, 0, &nr), 4);
	ck_assert_uint_eq(nr, 8);
	ck_assert_uint_eq(code_find_handler_return(bytes, 16, 5, &nr), 16);
	ck_assert_uint_eq(code_find_handler_return(bytes, 11, 0, &nr), 11);
	ck_assert_uint_eq(code_find_handler_return(bytes, 16, 17, &nr), 16);
	ck_assert_uint_eq(code_padding(bytes, 4), 4);
	ck_assert_uint_eq(code_padding(bytes, 3), 0);
	ck_assert_uint_eq(code_padding(bytes + 4, 12), 0);
	ck_assert_uint_eq(code_padding(bytes + 12, 4), 4);
	ck_assert_uint_eq(code_find_plt_header(bytes, 16, 0, &state), 16);
}
END_TEST

SUITE_MAIN("code_step_aarch64", plain_instructions, flows, where_a_function_is_left,
	   what_is_refused, stacks, a_stack_is_lost, saved_registers, copies_of_sp, what_is_taken,
	   what_is_found)
