// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The forms are those of gcc and of clang for arm64 (ELF for the Arm 64-bit Architecture, "Thread
 * Local Storage"): in a library the descriptor, in an executable the local-exec model. The compiler
 * puts other instructions between.
 */
#include "record/languages/files/thread_variable.h"

#include <errno.h>
#include <string.h>

/* What is known of the function's registers. */
struct thread_code {
	uint64_t addr;              /* of the instruction at hand */
	uint64_t page;              /* that adrp has put into x0 */
	uint64_t block;             /* the descriptor's address, in x0 when it is called */
	int64_t offs[32];           /* from the thread pointer or from the variable's block on */
	uint32_t holds;             /* the registers for which that is known */
	uint32_t has_pointer;       /* ... that hold the thread pointer */
	bool has_page, is_in_block; /* the descriptor has been called */
};

#define BIT(reg) (1u << (reg))

#define ADRP_X0         0x90000000
#define ADD_X0          0x91000000
#define MRS_THREAD      0xd53bd040
#define CALL_REGISTER   0xd63f0000
#define ADD_NUMBER      0x91000000
#define ADD_NUMBER_HIGH 0x91400000
#define ADD_REGISTER    0x8b000000
#define LOAD            0xf9400000
#define LOAD_AT_SUM     0xf8606800

static uint64_t page_of(uint32_t insn, uint64_t addr)
{
	int32_t high = (int32_t)(insn << 8) >> 13 << 2;

	return (addr & ~0xfffULL) + (uint64_t)((int64_t)(high | (insn >> 29 & 3)) * 4096);
}

/* Does register @a hold the thread pointer, and @b a distance from it? */
static bool is_sum(const struct thread_code *t, uint32_t a, uint32_t b)
{
	return t->has_pointer & BIT(a) && t->is_in_block && b == 0;
}

/* Takes an addition of a number into account. */
static void add_number(struct thread_code *t, uint32_t to, uint32_t from, int64_t number)
{
	bool is_pointer = t->has_pointer & BIT(from), is_held = t->holds & BIT(from);

	t->offs[to] = (is_held ? t->offs[from] : 0) + number;
	t->has_pointer &= ~BIT(to);
	t->holds &= ~BIT(to);
	if (is_pointer || is_held)
		t->holds |= BIT(to);
}

/* Takes @insn into account. Returns whether it loads the variable, *@off from its block on. */
static bool look_at(struct thread_code *t, uint32_t insn, int64_t *off)
{
	uint32_t to = insn & 31, from = insn >> 5 & 31, other = insn >> 16 & 31;
	uint32_t number = insn >> 10 & 0xfff;

	if ((insn & 0x9f00001f) == ADRP_X0) {
		t->page = page_of(insn, t->addr);
		t->has_page = true;
	} else if ((insn & 0xffc003ff) == ADD_X0 && t->has_page) {
		t->block = t->page + number;
	} else if ((insn & 0xffffffe0) == MRS_THREAD) {
		t->has_pointer |= BIT(to);
	} else if ((insn & 0xfffffc1f) == CALL_REGISTER) {
		t->is_in_block = t->block != 0;
	} else if ((insn & 0xffc00000) == ADD_NUMBER || (insn & 0xffc00000) == ADD_NUMBER_HIGH) {
		add_number(t, to, from,
			   (insn & 0xffc00000) == ADD_NUMBER ? number : (int64_t)number << 12);
	} else if ((insn & 0xffe0fc00) == ADD_REGISTER) {
		if (is_sum(t, from, other) || is_sum(t, other, from)) {
			t->holds |= BIT(to);
			t->offs[to] = 0;
		}
	} else if ((insn & 0xffe0fc00) == LOAD_AT_SUM) {
		*off = 0;
		return is_sum(t, from, other) || is_sum(t, other, from);
	} else if ((insn & 0xffc00000) == LOAD && t->holds & BIT(from)) {
		*off = t->offs[from] + (int64_t)number * 8;
		return true;
	}
	return false;
}

int thread_variable_parse(const uint8_t code[THREAD_VARIABLE_BYTES], uint64_t addr,
			  uint64_t runtime, struct thread_variable *found)
{
	struct thread_code t = {.addr = addr};
	int64_t off, key;
	uint32_t insn;

	for (size_t i = 0; i < THREAD_VARIABLE_BYTES; i += sizeof(insn), t.addr += sizeof(insn)) {
		memcpy(&insn, code + i, sizeof(insn));
		if (!look_at(&t, insn, &off))
			continue;
		key = t.is_in_block ? (int64_t)(t.block - runtime) : 0;
		if (key != (int32_t)key)
			return -ENOENT;
		*found = (struct thread_variable){
			.is_in_block = t.is_in_block, .key = key, .variable = off};
		return 0;
	}
	return -ENOENT;
}
