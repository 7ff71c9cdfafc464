// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules from the code of functions of x86-64. */
#include "record/cfi/code_frames.h"

#include <string.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define START 0x1000
#define SP    UNWIND_REG_SP

static struct code_frames frames;

static void begin(void)
{
	memset(&frames, 0, sizeof(frames));
}

static void end(void)
{
	code_frames_deinit(&frames);
}

/* A gap at @start with the @size bytes of @code. */
static void put_gap(uint64_t start, const char *code, size_t size)
{
	struct code_gap gap = {start, (uint32_t)size, (uint32_t)frames.bytes.nr};

	ck_assert(!vec_push(&frames.gaps, gap) && !vec_reserve(&frames.bytes, size));
	memcpy(frames.bytes.data + frames.bytes.nr, code, size);
	frames.bytes.nr += size;
}

#define PUT_GAP(start, code) put_gap(start, code, sizeof(code) - 1)

static void put_start(uint64_t addr)
{
	ck_assert(!vec_push(&frames.starts, addr));
}

/* The code of one gap with a function at its beginning. */
#define MAKE(code)                                                                                 \
	do {                                                                                       \
		PUT_GAP(START, code);                                                              \
		put_start(START);                                                                  \
		ck_assert_int_eq(code_frames_make(&frames), 0);                                    \
	} while (0)

static struct unwind_rule rule_at(uint64_t addr)
{
	struct unwind_rule rule = {0};

	vec_for_each(&frames.rows, row)
		if (row->addr <= addr)
			rule = row->rule;
	return rule;
}

/* How far the CFA is above sp, where it is known so. */
static int cfa_at(uint64_t off)
{
	const struct unwind_rule rule = rule_at(START + off);

	return rule.cfa == UNWIND_CFA_REG && rule.cfa_reg == SP ? rule.cfa_off : -1;
}

START_TEST(pushes_and_pops)
{
	/* push %rbp; push %rbx; sub $0x18,%rsp; nop; add $0x18,%rsp; pop %rbx; pop %rbp; ret */
	MAKE("\x55\x53\x48\x83\xec\x18\x90\x48\x83\xc4\x18\x5b\x5d\xc3");
	ck_assert_int_eq(cfa_at(0), 8);
	ck_assert_int_eq(cfa_at(1), 16);
	ck_assert_int_eq(cfa_at(2), 24);
	ck_assert_int_eq(cfa_at(6), 48);
	ck_assert_int_eq(rule_at(START + 6).fp, UNWIND_SAVED_CFA);
	ck_assert_int_eq(rule_at(START + 6).fp_off, -16);
	ck_assert_int_eq(rule_at(START + 6).kept_off, -24);
	ck_assert_int_eq(cfa_at(11), 24);
	ck_assert_int_eq(rule_at(START + 12).kept, UNWIND_SAVED_SAME);
	ck_assert_int_eq(rule_at(START + 13).fp, UNWIND_SAVED_SAME);
	ck_assert_int_eq(cfa_at(13), 8);
	ck_assert_int_eq(cfa_at(14), -1);
}
END_TEST

START_TEST(all_ways_are_followed)
{
	/* test %edi,%edi; je 1f; push %rax; call 2f; pop %rcx; 1: ret; nop; 2: sub $8,%rsp;
	 * add $8,%rsp; ret */
	MAKE("\x85\xff\x74\x07\x50\xe8\x03\x00\x00\x00\x59\xc3\x90\x48\x83\xec\x08\x48\x83\xc4\x08"
	     "\xc3");
	ck_assert_int_eq(cfa_at(5), 16);
	ck_assert_int_eq(cfa_at(11), 8);
	ck_assert_int_eq(cfa_at(12), -1);
	ck_assert_int_eq(cfa_at(13), 8);
	ck_assert_int_eq(cfa_at(17), 16);
	ck_assert_int_eq(cfa_at(21), 8);
}
END_TEST

/* With a stack that is aligned, or moved by what nobody knows, rbp tells. */
START_TEST(frame_pointers)
{
	/* push %rbp; mov %rsp,%rbp; and $-64,%rsp; sub %rax,%rsp; leave; ret */
	MAKE("\x55\x48\x89\xe5\x48\x83\xe4\xc0\x48\x29\xc4\xc9\xc3");
	ck_assert_int_eq(cfa_at(4), 16);
	ck_assert_int_eq(rule_at(START + 8).cfa_reg, UNWIND_REG_FP);
	ck_assert_int_eq(rule_at(START + 8).cfa_off, 16);
	ck_assert_int_eq(rule_at(START + 11).fp_off, -16);
	ck_assert_int_eq(cfa_at(12), 8);
}
END_TEST

START_TEST(what_is_not_known_has_no_rules)
{
	static const struct {
		const char *code;
		size_t size;
	} all[] = {
#define CODE(bytes) {bytes, sizeof(bytes) - 1}
		CODE("\x48\x29\xc4\x90\x48\x01\xc4\xc3"), /* sub %rax,%rsp without a frame */
		CODE("\x58\x50\xc3"),                     /* pop %rax: of the return address */
		CODE("\x50\xc3"),                         /* push %rax; ret */
		CODE("\x48\x89\xc4\xc3"),                 /* mov %rax,%rsp */
		CODE("\x74\x01\x50\x90\xc3"),             /* je 1f; push %rax; 1: nop; ret */
		CODE("\xe8\x00\x00\x00\x00\x58\xc3"),     /* call 1f; 1: pop %rax; ret */
		CODE("\x06\xc3"),                         /* no instruction */
		CODE("\x90\x90"),                         /* it runs on into nothing */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		code_frames_deinit(&frames);
		memset(&frames, 0, sizeof(frames));
		put_gap(START, all[i].code, all[i].size);
		put_start(START);
		ck_assert_int_eq(code_frames_make(&frames), 0);
		ck_assert_msg(frames.rows.nr == 0, "code %zu", i);
	}
}
END_TEST

START_TEST(a_stack_begins_where_rbp_is_cleared)
{
	/* xor %eax,%eax; xor %ebp,%ebp; pop %rdi; call *%r9; hlt */
	MAKE("\x31\xc0\x31\xed\x5f\x41\xff\xd1\xf4");
	ck_assert_int_eq(rule_at(START + 2).ra, RETURN_AT_ENTRY);
	ck_assert_int_eq(rule_at(START + 4).ra, UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(rule_at(START + 7).ra, UNWIND_RA_UNDEFINED);
}
END_TEST

/* Where rbp was saved, or the function returns, it is a register like others. */
START_TEST(rbp_is_cleared_for_other_reasons)
{
	/* push %rbp; xor %ebp,%ebp; pop %rbp; ret */
	MAKE("\x55\x31\xed\x5d\xc3");
	ck_assert_int_eq(cfa_at(3), 16);
	code_frames_deinit(&frames);
	memset(&frames, 0, sizeof(frames));
	/* xor %ebp,%ebp; ret */
	MAKE("\x31\xed\xc3");
	ck_assert_uint_eq(frames.rows.nr, 0);
}
END_TEST

START_TEST(the_entry_is_a_root)
{
	frames.entry = START;
	/* mov %rsp,%rdi; call 1f; hlt; 1: ret */
	MAKE("\x48\x89\xe7\xe8\x01\x00\x00\x00\xf4\xc3");
	ck_assert_int_eq(rule_at(START + 3).ra, UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(cfa_at(9), 8);
}
END_TEST

START_TEST(handlers_return)
{
	/* ret; nop; mov $15,%rax; syscall */
	MAKE("\xc3\x90\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05");
	ck_assert_int_eq(cfa_at(0), 8);
	ck_assert_int_eq(rule_at(START + 1).cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(rule_at(START + 10).cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(rule_at(START + 11).cfa, UNWIND_CFA_NONE);
}
END_TEST

/* 1: lea 2f(%rip),%rdi; jmp *8(%rdi); 2: push %rax; pop %rax; ret; 3: push %rbx; pop %rbx; ret */
#define TAKEN "\x48\x8d\x3d\x03\x00\x00\x00\xff\x67\x08\x50\x58\xc3"

START_TEST(functions_that_are_not_called)
{
	MAKE(TAKEN "\x53\x5b\xc3");
	ck_assert_int_eq(cfa_at(10), 8);
	ck_assert_int_eq(cfa_at(11), 16);
	ck_assert_int_eq(cfa_at(14), 16);
}
END_TEST

/* What follows may be a part of the function where it jumps by a table. */
START_TEST(parts_that_a_table_leads_to)
{
	/* push %rax; jmp *%rdx; pop %rax; ret */
	MAKE("\x50\xff\xe2\x53\x5b\xc3");
	ck_assert_int_eq(cfa_at(1), 16);
	ck_assert_int_eq(cfa_at(3), -1);
	ck_assert_int_eq(cfa_at(5), -1);
}
END_TEST

START_TEST(calls_that_never_return)
{
	/* push %rax; call 2f; 1: push %rbx; pop %rbx; ret; 2: hlt */
	PUT_GAP(START, "\x50\xe8\x03\x00\x00\x00\x53\x5b\xc3\xf4");
	/* call 1b; ret */
	PUT_GAP(START + 0x100, "\xe8\x01\xff\xff\xff\xc3");
	put_start(START);
	put_start(START + 0x100);
	ck_assert_int_eq(code_frames_make(&frames), 0);
	ck_assert_int_eq(cfa_at(1), 16);
	ck_assert_int_eq(cfa_at(6), 8);
	ck_assert_int_eq(cfa_at(7), 16);
	ck_assert_int_eq(cfa_at(9), 8);
	ck_assert_int_eq(cfa_at(0x105), 8);
}
END_TEST

/*
 * A PLT as lld makes it: its header, push GOT+8(%rip); jmp *GOT+16(%rip); nopl 0(%rax), and two
 * stubs, jmp *GOT+24(%rip); push $0; jmp to the header.
 */
#define LLD_PLT                                                                                    \
	"\xff\x35\x02\x20\x00\x00\xff\x25\x04\x20\x00\x00\x0f\x1f\x40\x00"                         \
	"\xff\x25\x02\x20\x00\x00\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff"                         \
	"\xff\x25\xfa\x1f\x00\x00\x68\x01\x00\x00\x00\xe9\xd0\xff\xff\xff"

/* Checks the rules of LLD_PLT at @off. */
static void check_lld_plt(uint64_t off)
{
	ck_assert_int_eq(cfa_at(off), 16);
	ck_assert_int_eq(cfa_at(off + 6), 24);
	ck_assert_int_eq(cfa_at(off + 12), -1);
	for (uint64_t stub = off + 16; stub < off + 48; stub += 16) {
		ck_assert_int_eq(cfa_at(stub), 8);
		ck_assert_int_eq(cfa_at(stub + 6), 8);
		ck_assert_int_eq(cfa_at(stub + 11), 16);
		ck_assert_int_eq(rule_at(START + stub + 11).fp, UNWIND_SAVED_SAME);
		ck_assert_int_eq(rule_at(START + stub + 11).ra, RETURN_AT_ENTRY);
	}
}

/* No symbol and no call leads to stubs. They are the same behind another function, as in .init. */
START_TEST(stubs_without_symbols)
{
	PUT_GAP(START, LLD_PLT);
	/* sub $8,%rsp; add $8,%rsp; ret; and padding */
	PUT_GAP(START + 0x100, "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3\xcc\xcc\xcc" LLD_PLT);
	put_start(START + 0x100);
	ck_assert_int_eq(code_frames_make(&frames), 0);
	check_lld_plt(0);
	ck_assert_int_eq(cfa_at(0x104), 16);
	check_lld_plt(0x10c);
}
END_TEST

/* A section or a symbol that begins with the header does not make it a function that is called. */
START_TEST(stubs_with_a_symbol)
{
	MAKE(LLD_PLT);
	check_lld_plt(0);
}
END_TEST

/* Of lld: the header; endbr64; push $0; jmp to it; xchg %ax,%ax; endbr64; jmp *GOT+24(%rip). */
START_TEST(stubs_with_branch_tracking)
{
	PUT_GAP(START, "\xff\x35\x02\x20\x00\x00\xff\x25\x04\x20\x00\x00\x0f\x1f\x40\x00"
		       "\xf3\x0f\x1e\xfa\x68\x00\x00\x00\x00\xe9\xe2\xff\xff\xff\x66\x90"
		       "\xf3\x0f\x1e\xfa\xff\x25\xea\x1f\x00\x00\x66\x0f\x1f\x44\x00\x00");
	ck_assert_int_eq(code_frames_make(&frames), 0);
	ck_assert_int_eq(cfa_at(0), 16);
	ck_assert_int_eq(cfa_at(6), 24);
	ck_assert_int_eq(cfa_at(0x14), 8);
	ck_assert_int_eq(cfa_at(0x19), 16);
	ck_assert_int_eq(cfa_at(0x20), 8);
	ck_assert_int_eq(cfa_at(0x24), 8);
}
END_TEST

/*
 * Of mold: endbr64; push %r11; push GOT+8(%rip); jmp *GOT+16(%rip); int3; and a stub, endbr64;
 * mov $0,%r11d; jmp *GOT+24(%rip), which leads to the beginning.
 */
START_TEST(stubs_with_a_number_in_a_register)
{
	MAKE("\xf3\x0f\x1e\xfa\x41\x53\xff\x35\x02\x20\x00\x00\xff\x25\x04\x20\x00\x00\xcc\xcc"
	     "\xf3\x0f\x1e\xfa\x41\xbb\x00\x00\x00\x00\xff\x25\xea\x1f\x00\x00");
	ck_assert_int_eq(cfa_at(0), 8);
	ck_assert_int_eq(cfa_at(6), 16);
	ck_assert_int_eq(cfa_at(12), 24);
	ck_assert_int_eq(cfa_at(0x12), -1);
	ck_assert_int_eq(cfa_at(0x14), 8);
	ck_assert_int_eq(cfa_at(0x1e), 8);
}
END_TEST

/* Where the jump does not go by the word behind that which is pushed, this is no header. */
START_TEST(a_push_and_a_jump_are_no_header)
{
	PUT_GAP(START, "\xff\x35\x02\x20\x00\x00\xff\x25\x0c\x20\x00\x00\x0f\x1f\x40\x00");
	ck_assert_int_eq(code_frames_make(&frames), 0);
	ck_assert_uint_eq(frames.rows.nr, 0);
}
END_TEST

/* call, jne, lea of the next function's address, ret; push %rbp; pop %rbp; ret */
START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		const size_t granted = oom_granted;
		int ret;

		oom_granted = SIZE_MAX;
		end();
		begin();
		PUT_GAP(START,
			"\xe8\x0c\x00\x00\x00\x75\x02\x90\x90\x48\x8d\x05\x01\x00\x00\x00\xc3"
			"\x55\x5d\xc3");
		put_start(START);
		oom_granted = granted;
		ret = code_frames_make(&frames);
		oom_granted = SIZE_MAX;
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		if (ret)
			continue;
		ck_assert_int_eq(cfa_at(0), 8);
		ck_assert_int_eq(cfa_at(0x12), 16);
	}
}
END_TEST

SUITE_MAIN_WITH("code_frames_x86_64", begin, end, pushes_and_pops, all_ways_are_followed,
		frame_pointers, what_is_not_known_has_no_rules, a_stack_begins_where_rbp_is_cleared,
		rbp_is_cleared_for_other_reasons, the_entry_is_a_root, handlers_return,
		functions_that_are_not_called, parts_that_a_table_leads_to, calls_that_never_return,
		stubs_without_symbols, stubs_with_a_symbol, stubs_with_branch_tracking,
		stubs_with_a_number_in_a_register, a_push_and_a_jump_are_no_header, out_of_memory)
