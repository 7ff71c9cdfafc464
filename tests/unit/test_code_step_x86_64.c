// SPDX-License-Identifier: GPL-2.0-or-later
/* Single instructions of x86-64: their bytes, where they lead, and what they do to a frame. */
#include "record/cfi/code_step.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/suite.h"

#define ADDR 0x1000

/* Behind each instruction, and in most operands, is a byte that begins none. */
#define BAD 0x06

/* Steps over an instruction, which is given in hex, alone and with what follows it. */
static bool step_over(const char *hex, struct code_state *state, struct code_step *step)
{
	const struct code_state before = *state;
	const size_t nr = strlen(hex) / 2;
	struct code_step alone;
	uint8_t code[32];
	bool is_right;

	memset(code, BAD, sizeof(code));
	for (size_t i = 0; i < nr; i++)
		ck_assert_int_eq(sscanf(hex + 2 * i, "%2hhx", &code[i]), 1);
	for (size_t size = 0; size < nr; size++)
		ck_assert_msg(!code_step(code, size, ADDR, state, &alone), "%s: %zu", hex, size);
	*state = before;
	is_right = code_step(code, nr, ADDR, state, &alone);
	*state = before;
	ck_assert_msg(code_step(code, sizeof(code), ADDR, state, step) == is_right, "%s", hex);
	ck_assert_mem_eq(step, &alone, sizeof(alone));
	ck_assert_msg(!is_right || step->size == nr, "%s: %u", hex, step->size);
	return is_right;
}

static const char *const plain[] = {
	/* nop, lea (%rax),%eax, lea N(%rbp),%eax; mov to %eax, from each kind of place */
	"90", "8d00", "8d4506", "6690", "89c8", "8b00", "8b4006", "8b8006060606", "8b0506060606",
	"8b4506", "8b0424", "8b442406", "8b842406060606", "8b042506060606", "8b442506", "418b0424",
	"418b0506060606",
	/* add, mov and test of numbers, and not, which has none; imul, movslq, shl */
	"0406", "0506060606", "66050606", "81c006060606", "6681c00606", "83c006", "b006",
	"b806060606", "48b80606060606060606", "a00606060606060606", "a806", "a906060606", "f6c006",
	"f6d0", "f7c806060606", "f7d0", "69c006060606", "6bc006", "63c0", "c0e006", "c1e006",
	"d1e0",
	/* movb $N,(%rax); movl $N,(%rax); int $N; fld; inc %al */
	"c60006", "c70006060606", "cd06", "d9c0", "fec0",
	/* syscall, rdtsc, cpuid, pop %gs, bswap, nopl, imul */
	"0f05", "0f31", "0fa2", "0fa9", "0fc8", "0f1f4006", "0fafc1",
	/* pshufw, emms, shld, shrd, bt, cmpps, pinsrw */
	"0f70c106", "0f77", "0fa4c106", "0facc106", "0fbae006", "0fc2c106", "0fc4c106",
	/* pshufb, sha256msg1, palignr */
	"660f3800c1", "0f38ccc1", "660f3a0fc106",
	/* VEX: vxorps, vzeroupper, vpshufd, one like shrd, vpbroadcastb, vpalignr, vmovapd */
	"c5f857c0", "c5f877", "c5f970c106", "c5f8ac01", "c4e27978c0", "c4e3710fc206",
	"c4e179280424",
	/* EVEX: vaddps, vpshufd */
	"62f17c4858c1", "62f17c48584006", "62f17d4870c106"};

START_TEST(bytes_of_instructions)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		struct code_state state = code_state_at_entry();
		const struct code_state entry = state;
		struct code_step step;

		ck_assert_msg(step_over(plain[i], &state, &step), "%s", plain[i]);
		ck_assert_int_eq(step.flow, CODE_GOES_ON);
		ck_assert_uint_eq(step.target | step.refers, 0);
		ck_assert_mem_eq(&state, &entry, sizeof(state));
	}
}
END_TEST

static const struct {
	const char *hex;
	enum code_flow flow;
	uint64_t target;
} flow_steps[] = {
	{"7410", CODE_BRANCHES, ADDR + 0x12},
	{"7ff0", CODE_BRANCHES, ADDR - 0xe},
	{"e310", CODE_BRANCHES, ADDR + 0x12},
	{"0f8f10020000", CODE_BRANCHES, ADDR + 0x216},
	{"e8f0ffffff", CODE_CALLS, ADDR - 0xb},
	{"ffd0", CODE_CALLS, 0},
	{"e910020000", CODE_JUMPS, ADDR + 0x215},
	{"eb10", CODE_JUMPS, ADDR + 0x12},
	{"ffe0", CODE_JUMPS_FAR, 0},
	{"ff24c506060606", CODE_JUMPS_FAR, 0}, /* jmp *N(,%rax,8) */
	{"42ff2420", CODE_JUMPS_FAR, 0},       /* jmp *(%rax,%r12) */
	{"ff2424", CODE_LEAVES, 0},            /* jmp *(%rsp) */
	{"ff2506060606", CODE_LEAVES, 0},      /* jmp *N(%rip) */
	{"c3", CODE_RETURNS, 0},
	{"c20800", CODE_RETURNS, 0},
	{"cc", CODE_STOPS, 0},
	{"f4", CODE_STOPS, 0},
	{"0f0b", CODE_STOPS, 0},
	{"0fb9c0", CODE_STOPS, 0},
	{"0fffc0", CODE_STOPS, 0},
};

START_TEST(flows)
{
	for (size_t i = 0; i < ARRAY_SIZE(flow_steps); i++) {
		struct code_state state = code_state_at_entry();
		struct code_step step;

		ck_assert_msg(step_over(flow_steps[i].hex, &state, &step) &&
				      step.flow == flow_steps[i].flow &&
				      step.target == flow_steps[i].target,
			      "%s", flow_steps[i].hex);
	}
}
END_TEST

START_TEST(what_is_no_instruction)
{
	/* The last one is a call of what follows. */
	static const char *const all[] = {"06", "17",       "60",       "61",        "82c0", "9a",
					  "ca", "cb",       "ce",       "cf",        "d4",   "d6",
					  "ea", "c4e07800", "c4e47800", "e800000000"};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct code_state state = code_state_at_entry();
		struct code_step step;

		ck_assert_msg(!step_over(all[i], &state, &step), "%s", all[i]);
	}
}
END_TEST

#define LOST CODE_NOT_KNOWN

/* The function has saved rbp and rbx, has made a frame, and 8 bytes more are on the stack. */
static const struct code_state in_frame = {.sp = 32, .fp = 16, .saved_fp = 16, .saved_kept = 24};

static const struct {
	const char *hex;
	int32_t sp; /* 0: the instruction is refused */
} stack_steps[] = {
	{"50", 40},
	{"4155", 40},            /* push %r13 */
	{"6a01", 40},            /* push $1 */
	{"6801000000", 40},      /* push $1 */
	{"9c", 40},              /* pushf */
	{"ff30", 40},            /* push (%rax) */
	{"58", 24},              /* pop %rax */
	{"9d", 24},              /* popf */
	{"8f00", 24},            /* pop (%rax) */
	{"5c", 0},               /* pop %rsp */
	{"8fc4", 0},             /* pop %rsp */
	{"6650", 0},             /* push %ax */
	{"c8000000", 0},         /* enter */
	{"ff18", 0},             /* lcall *(%rax) */
	{"ff28", 0},             /* ljmp *(%rax) */
	{"4883ec18", 56},        /* sub $24,%rsp */
	{"4881ec00010000", 288}, /* sub $256,%rsp */
	{"4883c418", 8},         /* add $24,%rsp */
	{"4883c420", 0},         /* add $32,%rsp: off the stack */
	{"4881ec00000004", 0},   /* a frame of 64 MiB and more */
	{"83ec18", 0},           /* sub $24,%esp */
	{"488d642408", 24},      /* lea 8(%rsp),%rsp */
	{"488d65f0", 32},        /* lea -16(%rbp),%rsp */
	{"488d6520", 0},         /* lea 32(%rbp),%rsp: off the stack */
	{"488d6508", 8},         /* lea 8(%rbp),%rsp */
	{"488d2404", 0},         /* lea (%rsp,%rax),%rsp */
	{"4889ec", 16},          /* mov %rbp,%rsp */
	{"488be5", 16},          /* mov %rbp,%rsp */
	{"c9", 8},               /* leave */
	{"4883e4f0", LOST},      /* and $-16,%rsp */
	{"4829c4", LOST},        /* sub %rax,%rsp */
	{"482be0", LOST},        /* sub %rax,%rsp */
	{"4883cc01", 0},         /* or $1,%rsp */
	{"488b2424", 0},         /* mov (%rsp),%rsp */
	{"4887c4", 0},           /* xchg %rax,%rsp, and the other way */
	{"4887e0", 0},
	{"4887e5", 0}, /* xchg %rsp,%rbp, and the other way */
	{"4887ec", 0},
	{"480f44e0", 0},  /* cmove %rax,%rsp */
	{"4883fc01", 32}, /* cmp $1,%rsp */
	{"4839c4", 32},   /* cmp %rax,%rsp */
};

START_TEST(stacks)
{
	for (size_t i = 0; i < ARRAY_SIZE(stack_steps); i++) {
		struct code_state state = in_frame;
		struct code_step step;
		bool is_right = step_over(stack_steps[i].hex, &state, &step);

		ck_assert_msg(is_right == !!stack_steps[i].sp, "%s", stack_steps[i].hex);
		ck_assert_msg(!is_right || state.sp == stack_steps[i].sp, "%s: %d",
			      stack_steps[i].hex, state.sp);
	}
}
END_TEST

/* Where the caller's rbp and rbx are. */
static const struct {
	const char *hex;
	struct code_state before, after;
} save_steps[] = {
	/* push %rbp, push %rbx, and the same with REX.B: others */
	{"55", {.sp = 8}, {.sp = 16, .saved_fp = 16}},
	{"53", {.sp = 8}, {.sp = 16, .saved_kept = 16}},
	{"4155", {.sp = 8}, {.sp = 16}},
	{"4153", {.sp = 8}, {.sp = 16}},
	/* A second push is of another value. */
	{"55", {.sp = 16, .saved_fp = 16}, {.sp = 24, .saved_fp = 16}},
	{"53", {.sp = 16, .saved_kept = 16}, {.sp = 24, .saved_kept = 16}},
	{"55", {.sp = 8, .has_lost_fp = true}, {.sp = 16, .has_lost_fp = true}},
	/* pop */
	{"5d", {.sp = 16, .fp = 16, .saved_fp = 16}, {.sp = 8}},
	{"5b", {.sp = 16, .saved_kept = 16}, {.sp = 8}},
	{"5b", {.sp = 24, .saved_kept = 16}, {.sp = 16, .saved_kept = 16}},
	{"5d", {.sp = 24, .saved_fp = 16}, {.sp = 16, .saved_fp = 16}},
	{"5d", {.sp = 16}, {.sp = 8, .has_lost_fp = true}},
	/* mov %rbp,8(%rsp); mov %rbx,8(%rsp); with an index; of 32 bits; another base */
	{"48896c2408", {.sp = 32}, {.sp = 32, .saved_fp = 24}},
	{"48895c2408", {.sp = 32}, {.sp = 32, .saved_kept = 24}},
	{"48895c0408", {.sp = 32}, {.sp = 32}},
	{"895c2408", {.sp = 32}, {.sp = 32}},
	{"48895808", {.sp = 32}, {.sp = 32}},
	{"49895c2408", {.sp = 32}, {.sp = 32}},
	/* The word of the return address, and those above it, are not of the frame. */
	{"48895c2418", {.sp = 32}, {.sp = 32}},
	{"48895c2417", {.sp = 32}, {.sp = 32, .saved_kept = 9}},
	/* mov 8(%rsp),%rbx; mov 8(%rsp),%rbp; mov 8(%rsp),%rax */
	{"488b5c2408", {.sp = 32, .saved_kept = 24}, {.sp = 32}},
	{"488b6c2408", {.sp = 32, .saved_fp = 24}, {.sp = 32}},
	{"488b442408", {.sp = 32, .saved_kept = 24}, {.sp = 32, .saved_kept = 24}},
	/* mov %rsp,%rbp, both ways; of 32 bits; mov %rax,%rbp; lea 8(%rsp),%rbp */
	{"4889e5", {.sp = 16, .saved_fp = 16}, {.sp = 16, .fp = 16, .saved_fp = 16}},
	{"488bec", {.sp = 16, .saved_fp = 16}, {.sp = 16, .fp = 16, .saved_fp = 16}},
	{"4889e5", {.sp = 8}, {.sp = 8, .fp = 8, .has_lost_fp = true}},
	{"89e5", {.sp = 16, .saved_fp = 16}, {.sp = 16, .saved_fp = 16}},
	{"4889c5", {.sp = 16, .fp = 16, .saved_fp = 16}, {.sp = 16, .saved_fp = 16}},
	{"488d6c2408", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	/* xchg %rax,%rbp, both ways; xchg (%rax),%rbp */
	{"4887c5", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"4887e8", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"488728", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	/* Others that write rbp, and some that do not. */
	{"bd06060606", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"95", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"63e8", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"69e806060606", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"6be806", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"03e8", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"83c506", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"c7c506060606", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"d1e5", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"f7d5", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"ffcd", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"83450606", {.sp = 8}, {.sp = 8}},
	{"88c5", {.sp = 8}, {.sp = 8}},
	{"3be8", {.sp = 8}, {.sp = 8}},
	{"83fd06", {.sp = 8}, {.sp = 8}},
	{"f7c506060606", {.sp = 8}, {.sp = 8}},
	/* xor %ebp,%ebp of the first function, and of others */
	{"31ed", {.sp = 8}, {.sp = 8, .is_root = true, .has_lost_fp = true}},
	{"33ed", {.sp = 8}, {.sp = 8, .is_root = true, .has_lost_fp = true}},
	{"31c5", {.sp = 8}, {.sp = 8, .has_lost_fp = true}},
	{"31ed", {.sp = 16, .fp = 16, .saved_fp = 16}, {.sp = 16, .saved_fp = 16}},
};

START_TEST(saved_registers)
{
	for (size_t i = 0; i < ARRAY_SIZE(save_steps); i++) {
		struct code_state state = save_steps[i].before;
		struct code_step step;

		ck_assert_msg(step_over(save_steps[i].hex, &state, &step) &&
				      !memcmp(&state, &save_steps[i].after, sizeof(state)),
			      "instruction %zu", i);
	}
}
END_TEST

START_TEST(what_is_taken_and_found)
{
	/* mov $15,%rax; syscall */
	static const char returns[] = "\x48\xc7\xc0\x0f\0\0\0\x0f\x05";
	struct code_state state = code_state_at_entry();
	struct code_step step;
	uint8_t code[64] = {0};
	uint32_t bytes;

	/* lea 16(%rip),%rdi */
	ck_assert(step_over("488d3d10000000", &state, &step));
	ck_assert_uint_eq(step.refers, ADDR + 0x17);
	memcpy(code + 8, returns, 9);
	memcpy(code + 32, returns, 9);
	ck_assert_uint_eq(code_find_handler_return(code, 64, 0, &bytes), 8);
	ck_assert_uint_eq(bytes, 9);
	ck_assert_uint_eq(code_find_handler_return(code, 64, 9, &bytes), 32);
	ck_assert_uint_eq(code_find_handler_return(code, 40, 9, &bytes), 40);
	ck_assert_uint_eq(code_find_handler_return(code, 64, 64, &bytes), 64);
}
END_TEST

/* Compilers fill up with zeros, traps and instructions that do nothing, of any length. */
START_TEST(padding_between_functions)
{
	static const struct {
		const char *hex;
		uint32_t bytes;
	} cases[] = {
		{"", 0},         {"00", 1},       {"90", 1},
		{"cc", 1},       {"6690", 2},     {"4890", 2},
		{"4190", 0}, /* xchg %eax, %r8d */
		{"0f1f00", 3},   {"0f1f4000", 4}, {"662e0f1f840000000000", 10},
		{"0f1f", 0}, /* cut short */
		{"0f90c0", 0},   {"0f0b", 0},     {"1f", 0},
		{"c3", 0},       {"89c0", 0},     {"c5f877", 0},
		{"c5f890c1", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t code[16];
		const size_t nr = strlen(cases[i].hex) / 2;

		memset(code, BAD, sizeof(code));
		for (size_t k = 0; k < nr; k++)
			ck_assert_int_eq(sscanf(cases[i].hex + 2 * k, "%2hhx", &code[k]), 1);
		ck_assert_msg(code_padding(code, nr) == cases[i].bytes, "%s", cases[i].hex);
	}
}
END_TEST

/* The handler's return is found as a whole, from the place on that is asked for. */
START_TEST(returns_of_handlers)
{
	static const uint8_t code[] = {0x90, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05, 0x90};
	uint32_t bytes = 0;

	for (size_t from = 0; from <= 1; from++)
		ck_assert_uint_eq(code_find_handler_return(code, sizeof(code), from, &bytes), 1);
	ck_assert_uint_eq(bytes, 9);
	ck_assert_uint_eq(code_find_handler_return(code, sizeof(code), 2, &bytes), sizeof(code));
	ck_assert_uint_eq(code_find_handler_return(code, 10, 0, &bytes), 1);
	ck_assert_uint_eq(code_find_handler_return(code, 9, 0, &bytes), 9);
	ck_assert_uint_eq(code_find_handler_return(code, 9, 9, &bytes), 9);
	ck_assert_uint_eq(code_find_handler_return(code, 9, 10, &bytes), 9);
}
END_TEST

SUITE_MAIN("code_step_x86_64", bytes_of_instructions, flows, what_is_no_instruction, stacks,
	   saved_registers, what_is_taken_and_found, padding_between_functions, returns_of_handlers)
