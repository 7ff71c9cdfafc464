// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of x86-64, as far as it takes to know their length and what they do to rsp and rbp.
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and
 * appendix A.
 */
#include "record/cfi/code_step.h"

#include <string.h>

#include "bpf/walk/unwind.h"

#define INSN_BYTES_MAX 15

#define REX_W 8
#define REX_R 4
#define REX_X 2
#define REX_B 1

/* Numbers of registers in instructions. */
enum { RBX = 3, RSP = 4, RBP = 5, NO_REG = 0xff };

/* Frames have at most so many bytes. Larger ones are not code. */
#define FRAME_BYTES_MAX (64 << 20)

/* The kinds of opcodes: of one byte; behind 0f; 0f 38; 0f 3a. VEX and EVEX have the last three. */
enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

struct insn {
	const uint8_t *p, *end; /* what is left of it */
	uint8_t rex;
	bool is_short; /* operands of 16 bits: prefix 66 */
	bool is_vector;
	uint8_t map, op;
	bool has_modrm;
	uint8_t mod, reg, rm; /* with the bits of rex; rm counts where mod is 3 */
	uint8_t base;         /* of memory: register, or NO_REG */
	bool has_index, is_relative;
	int64_t disp, imm;
};

static bool take_byte(struct insn *i, uint8_t *byte)
{
	if (i->p == i->end)
		return false;
	*byte = *i->p++;
	return true;
}

/* Takes a signed number of @size bytes: 0, 1, 2, 4 or 8. */
static bool take_number(struct insn *i, size_t size, int64_t *value)
{
	uint64_t bits = 0;

	if (size > (size_t)(i->end - i->p))
		return false;
	for (size_t n = 0; n < size; n++)
		bits |= (uint64_t)i->p[n] << 8 * n;
	i->p += size;
	if (size && size < 8 && bits >> (8 * size - 1))
		bits |= ~0ULL << 8 * size;
	*value = (int64_t)bits;
	return true;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 ||
	       byte == 0xf0;
}

/* Takes VEX (c4, c5) or EVEX (62), whose first byte is @op, and the opcode. */
static bool take_vector(struct insn *i, uint8_t op)
{
	const size_t sizes = op == 0xc5 ? 1 : op == 0xc4 ? 2 : 3;

	if (sizes >= (size_t)(i->end - i->p))
		return false;
	i->is_vector = true;
	i->map = op == 0xc5 ? MAP_0F : i->p[0] & (op == 0xc4 ? 0x1f : 7);
	i->p += sizes;
	return take_byte(i, &i->op) && i->map >= MAP_0F && i->map != 4;
}

static bool take_opcode(struct insn *i)
{
	uint8_t op;

	do {
		if (!take_byte(i, &op))
			return false;
		i->is_short |= op == 0x66;
	} while (is_prefix(op));
	if ((op & 0xf0) == 0x40) {
		i->rex = op;
		if (!take_byte(i, &op))
			return false;
	}
	if (op == 0xc4 || op == 0xc5 || op == 0x62)
		return take_vector(i, op);
	i->op = op;
	if (op != 0x0f)
		return true;
	i->map = MAP_0F;
	if (!take_byte(i, &i->op))
		return false;
	if (i->op != 0x38 && i->op != 0x3a)
		return true;
	i->map = i->op == 0x38 ? MAP_0F38 : MAP_0F3A;
	return take_byte(i, &i->op);
}

static bool is_in(uint8_t op, uint8_t first, uint8_t last)
{
	return op >= first && op <= last;
}

static bool one_has_modrm(uint8_t op)
{
	return (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b ||
	       is_in(op, 0x80, 0x8f) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 ||
	       is_in(op, 0xd0, 0xd3) || is_in(op, 0xd8, 0xdf) || op == 0xf6 || op == 0xf7 ||
	       op >= 0xfe;
}

/* Behind 0f. Of vectors only vzeroupper has none. */
static bool two_has_modrm(uint8_t op, bool is_vector)
{
	if (is_vector)
		return op != 0x77;
	return !(is_in(op, 0x05, 0x09) || op == 0x0b || op == 0x0e || is_in(op, 0x30, 0x37) ||
		 op == 0x77 || is_in(op, 0x80, 0x8f) || is_in(op, 0xa0, 0xa2) ||
		 is_in(op, 0xa8, 0xaa) || is_in(op, 0xc8, 0xcf));
}

/* These raise an exception in 64-bit code, or leave it. */
static bool one_is_invalid(uint8_t op)
{
	return (op < 0x40 && (op & 7) >= 6) || op == 0x60 || op == 0x61 || op == 0x82 ||
	       op == 0x9a || op == 0xca || op == 0xcb || op == 0xce || op == 0xcf ||
	       is_in(op, 0xd4, 0xd6) || op == 0xea;
}

/* Bytes of the immediate operand. */
static size_t one_immediate(const struct insn *i)
{
	const uint8_t op = i->op;
	const size_t full = i->is_short ? 2 : 4;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : 0;
	if (op == 0x6a || op == 0x6b || is_in(op, 0x70, 0x80) || op == 0x83 || op == 0xa8 ||
	    is_in(op, 0xb0, 0xb7) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xcd ||
	    is_in(op, 0xe0, 0xe7) || op == 0xeb || (op == 0xf6 && (i->reg & 7) < 2))
		return 1;
	if (op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 || op == 0xc7 ||
	    (op == 0xf7 && (i->reg & 7) < 2))
		return full;
	if (op == 0xe8 || op == 0xe9)
		return 4;
	if (is_in(op, 0xa0, 0xa3))
		return 8;
	if (is_in(op, 0xb8, 0xbf))
		return i->rex & REX_W ? 8 : full;
	return op == 0xc2 ? 2 : 0;
}

static size_t immediate_bytes(const struct insn *i)
{
	const uint8_t op = i->op;

	if (i->map == MAP_ONE)
		return one_immediate(i);
	if (i->map == MAP_0F3A)
		return 1;
	if (i->map != MAP_0F)
		return 0;
	if (!i->is_vector && is_in(op, 0x80, 0x8f))
		return 4;
	return is_in(op, 0x70, 0x73) || op == 0xc2 || is_in(op, 0xc4, 0xc6) ||
	       (!i->is_vector && (op == 0x0f || op == 0xa4 || op == 0xac || op == 0xba));
}

/* Takes the operand in memory, behind the byte with mod and rm. */
static bool take_memory(struct insn *i)
{
	uint8_t low = i->rm & 7, sib;
	size_t bytes = i->mod == 1 ? 1 : i->mod == 2 ? 4 : 0;

	i->base = i->rm;
	if (low == 4) {
		if (!take_byte(i, &sib))
			return false;
		i->base = (sib & 7) | (i->rex & REX_B ? 8 : 0);
		i->has_index = (sib & 0x38) != 0x20 || i->rex & REX_X;
		low = sib & 7;
	} else if (low == 5 && !i->mod) {
		i->is_relative = true;
	}
	if (low == 5 && !i->mod) {
		i->base = NO_REG;
		bytes = 4;
	}
	return take_number(i, bytes, &i->disp);
}

static bool take_operands(struct insn *i)
{
	uint8_t modrm = 0;

	i->has_modrm = i->map == MAP_ONE  ? one_has_modrm(i->op)
		       : i->map == MAP_0F ? two_has_modrm(i->op, i->is_vector)
					  : true;
	i->base = NO_REG;
	if (i->has_modrm) {
		if (!take_byte(i, &modrm))
			return false;
		i->mod = modrm >> 6;
		i->reg = (modrm >> 3 & 7) | (i->rex & REX_R ? 8 : 0);
		i->rm = (modrm & 7) | (i->rex & REX_B ? 8 : 0);
		if (i->mod != 3 && !take_memory(i))
			return false;
	}
	return take_number(i, immediate_bytes(i), &i->imm);
}

static bool decode(const uint8_t *code, size_t size, struct insn *i)
{
	*i = (struct insn){.p = code,
			   .end = code + (size < INSN_BYTES_MAX ? size : INSN_BYTES_MAX)};
	return take_opcode(i) && !(i->map == MAP_ONE && one_is_invalid(i->op)) && take_operands(i);
}

/* The register that an instruction of one byte writes, of those with words of 32 bits or more. */
static uint8_t written_register(const struct insn *i)
{
	const uint8_t op = i->op, group = i->reg & 7;

	if (is_in(op, 0xb8, 0xbf) || is_in(op, 0x91, 0x97))
		return (op & 7) | (i->rex & REX_B ? 8 : 0);
	if (!i->has_modrm)
		return NO_REG;
	if ((op < 0x38 && (op & 7) == 3) || op == 0x63 || op == 0x69 || op == 0x6b || op == 0x8b ||
	    op == 0x8d)
		return i->reg;
	/* xchg: of both operands, that which is rsp or rbp */
	if (op == 0x87 && (i->reg == RSP || i->mod != 3 || (i->rm != RSP && i->rm != RBP)))
		return i->reg;
	if (i->mod != 3)
		return NO_REG;
	if ((op < 0x38 && (op & 7) == 1) || ((op == 0x81 || op == 0x83) && group != 7) ||
	    op == 0x87 || op == 0x89 || op == 0x8f || op == 0xc1 || op == 0xc7 || op == 0xd1 ||
	    op == 0xd3 || (op == 0xf7 && (group == 2 || group == 3)) || (op == 0xff && group < 2))
		return i->rm;
	return NO_REG;
}

static bool is_wide(const struct insn *i)
{
	return i->rex & REX_W;
}

/* Moves sp by @bytes down. The return address is the last that may be above it. */
static bool move_sp(struct code_state *s, int64_t bytes)
{
	if (s->is_root || s->sp == CODE_NOT_KNOWN)
		return true;
	bytes += s->sp;
	if (bytes < RETURN_BYTES || bytes > FRAME_BYTES_MAX)
		return false;
	s->sp = (int32_t)bytes;
	return true;
}

/* The caller's value of @reg is in the word at @at. */
static void note_save(struct code_state *s, uint8_t reg, int32_t at)
{
	if (reg == RBP && !s->saved_fp && !s->fp && !s->has_lost_fp)
		s->saved_fp = at;
	else if (reg == RBX && !s->saved_kept)
		s->saved_kept = at;
}

/* @reg has got the word at @at. */
static void note_load(struct code_state *s, uint8_t reg, int32_t at)
{
	if (reg == RBX && s->saved_kept == at) {
		s->saved_kept = 0;
	} else if (reg == RBP) {
		s->fp = 0;
		if (s->saved_fp == at)
			s->saved_fp = 0;
		else if (!s->saved_fp)
			s->has_lost_fp = true;
	}
}

static bool step_push(struct code_state *s, uint8_t reg)
{
	if (!move_sp(s, 8))
		return false;
	if (s->sp != CODE_NOT_KNOWN)
		note_save(s, reg, s->sp);
	return true;
}

static bool step_pop(struct code_state *s, uint8_t reg)
{
	if (reg == RSP)
		return false;
	if (s->sp != CODE_NOT_KNOWN)
		note_load(s, reg, s->sp);
	else if (reg == RBP)
		return false;
	return move_sp(s, -8);
}

/* mov %rbp,%rsp and lea N(%rbp),%rsp: sp is @disp above fp. */
static bool sp_from_fp(struct code_state *s, int64_t disp)
{
	const int64_t sp = s->fp - disp;

	if (s->is_root)
		return true;
	if (!s->fp || sp < RETURN_BYTES || sp > FRAME_BYTES_MAX)
		return false;
	s->sp = (int32_t)sp;
	return true;
}

static bool step_leave(struct code_state *s)
{
	return sp_from_fp(s, 0) && step_pop(s, RBP);
}

/* An instruction that writes rsp, and is no push, pop or leave. */
static bool step_sp(const struct insn *i, struct code_state *s)
{
	const uint8_t group = i->reg & 7;

	if (!is_wide(i))
		return s->is_root;
	if (i->op == 0x81 || i->op == 0x83) {
		if (group == 0 || group == 5)
			return move_sp(s, group ? i->imm : -i->imm);
		/* and: it aligns the stack */
		s->sp = CODE_NOT_KNOWN;
		return s->is_root || (group == 4 && s->fp);
	}
	if (i->op == 0x8d && i->base == RSP && !i->has_index)
		return move_sp(s, -i->disp);
	if (i->op == 0x8d && i->base == RBP && !i->has_index)
		return sp_from_fp(s, i->disp);
	if ((i->op == 0x89 && i->reg == RBP) || (i->op == 0x8b && i->mod == 3 && i->rm == RBP))
		return sp_from_fp(s, 0);
	s->sp = CODE_NOT_KNOWN;
	/* sub: an array on the stack */
	return s->is_root || ((i->op == 0x29 || i->op == 0x2b) && s->fp);
}

/* mov %rsp,%rbp */
static bool is_own_frame(const struct insn *i, const struct code_state *s)
{
	return is_wide(i) && s->sp != CODE_NOT_KNOWN &&
	       ((i->op == 0x89 && i->reg == RSP) || (i->op == 0x8b && i->mod == 3 && i->rm == RSP));
}

/* An instruction that writes rbp, and is no pop or leave. */
static void step_fp(const struct insn *i, struct code_state *s)
{
	if (is_own_frame(i, s)) {
		s->fp = s->sp;
		if (!s->saved_fp)
			s->has_lost_fp = true;
		return;
	}
	/* The ABI marks the outermost frame so (3.4.1): xor %ebp,%ebp */
	if ((i->op == 0x31 || i->op == 0x33) && i->mod == 3 && i->rm == RBP && i->reg == RBP &&
	    !s->saved_fp && !s->fp)
		s->is_root = true;
	s->fp = 0;
	if (!s->saved_fp)
		s->has_lost_fp = true;
}

/* Does @i move a word to or from the frame, seen from rsp? *@at is its place. */
static bool is_frame_word(const struct insn *i, const struct code_state *s, int32_t *at)
{
	if ((i->op != 0x89 && i->op != 0x8b) || !is_wide(i) || i->mod == 3 || i->base != RSP ||
	    i->has_index || s->sp == CODE_NOT_KNOWN || s->is_root ||
	    i->disp >= s->sp - RETURN_BYTES)
		return false;
	*at = s->sp - (int32_t)i->disp;
	return true;
}

static bool step_other(const struct insn *i, struct code_state *s)
{
	uint8_t reg = i->map == MAP_ONE ? written_register(i) : NO_REG;
	int32_t at;

	/* Behind 0f only cmov writes such a register, and nobody does that with rsp. */
	if (i->map == MAP_0F && is_in(i->op, 0x40, 0x4f) && !i->is_vector && i->reg == RSP)
		return false;
	if (i->map == MAP_ONE && is_frame_word(i, s, &at)) {
		if (i->op == 0x89)
			note_save(s, i->reg, at);
		else if (i->reg == RBX || i->reg == RBP)
			note_load(s, i->reg, at);
		return i->op == 0x89 || i->reg != RSP;
	}
	if (reg == RSP)
		return step_sp(i, s);
	if (reg == RBP)
		step_fp(i, s);
	return true;
}

/* A jump, a call or a return. Returns false if it is none. */
static bool find_flow(const struct insn *i, uint64_t next, struct code_step *step)
{
	const uint8_t op = i->op, group = i->reg & 7;

	if (i->is_vector || i->map > MAP_0F)
		return false;
	step->target = next + (uint64_t)i->imm;
	if (i->map == MAP_0F && is_in(op, 0x80, 0x8f))
		step->flow = CODE_BRANCHES;
	else if (i->map == MAP_0F && (op == 0x0b || op == 0xb9 || op == 0xff))
		step->flow = CODE_STOPS; /* ud2, ud1, ud0 */
	else if (i->map == MAP_0F)
		return false;
	else if (is_in(op, 0x70, 0x7f) || is_in(op, 0xe0, 0xe3))
		step->flow = CODE_BRANCHES;
	else if (op == 0xe8)
		step->flow = CODE_CALLS;
	else if (op == 0xe9 || op == 0xeb)
		step->flow = CODE_JUMPS;
	else if (op == 0xff && group == 2)
		step->flow = CODE_CALLS;
	else if (op == 0xff && group == 4) /* a table of jumps is in a register, or has an index */
		step->flow = i->mod == 3 || i->has_index ? CODE_JUMPS_FAR : CODE_LEAVES;
	else if (op == 0xc2 || op == 0xc3)
		step->flow = CODE_RETURNS;
	else if (op == 0xcc || op == 0xf4)
		step->flow = CODE_STOPS;
	else
		return false;
	if (step->flow == CODE_RETURNS || step->flow == CODE_STOPS || op == 0xff)
		step->target = 0;
	return true;
}

/* push, pop and leave. Returns false if @i is none of them; *@is_right is the result otherwise. */
static bool find_stack_step(const struct insn *i, struct code_state *s, bool *is_right)
{
	const uint8_t op = i->op, group = i->reg & 7, low = (op & 7) | (i->rex & REX_B ? 8 : 0);

	if (i->map != MAP_ONE || i->is_vector)
		return false;
	if (is_in(op, 0x50, 0x57))
		*is_right = step_push(s, low);
	else if (op == 0x68 || op == 0x6a || op == 0x9c || (op == 0xff && group == 6))
		*is_right = step_push(s, NO_REG);
	else if (is_in(op, 0x58, 0x5f))
		*is_right = step_pop(s, low);
	else if (op == 0x9d || op == 0x8f)
		*is_right = step_pop(s, i->mod == 3 && op == 0x8f ? i->rm : NO_REG);
	else if (op == 0xc9)
		*is_right = step_leave(s);
	else if (op == 0xc8 || (op == 0xff && (group == 3 || group == 5)))
		*is_right = false;
	else
		return false;
	*is_right &= !i->is_short;
	return true;
}

uint32_t code_insn_bytes(void)
{
	return 0;
}

struct code_state code_state_at_entry(void)
{
	return (struct code_state){.sp = RETURN_BYTES};
}

bool code_step(const uint8_t *code, size_t size, uint64_t addr, struct code_state *state,
	       struct code_step *step)
{
	struct insn i;
	bool is_right;

	*step = (struct code_step){.flow = CODE_GOES_ON};
	if (!decode(code, size, &i))
		return false;
	step->size = i.p - code;
	addr += step->size;
	if (find_flow(&i, addr, step)) {
		/* A call of what follows gets the address, and pushes it. */
		if (step->flow == CODE_CALLS)
			return step->target != addr;
		return step->flow != CODE_RETURNS || (state->sp == RETURN_BYTES && !state->is_root);
	}
	step->target = 0;
	if (i.map == MAP_ONE && !i.is_vector && i.op == 0x8d && i.is_relative)
		step->refers = addr + (uint64_t)i.disp;
	if (find_stack_step(&i, state, &is_right))
		return is_right;
	return i.is_vector || step_other(&i, state);
}

uint32_t code_padding(const uint8_t *code, size_t size)
{
	struct insn i;

	if (size && !*code)
		return 1;
	if (!decode(code, size, &i) || i.is_vector)
		return 0;
	if ((i.map == MAP_ONE && (i.op == 0x90 || i.op == 0xcc) && !(i.rex & REX_B)) ||
	    (i.map == MAP_0F && i.op == 0x1f))
		return i.p - code;
	return 0;
}

/* mov $__NR_rt_sigreturn,%rax; syscall: libgcc and gdb know it by these bytes, too. */
static const uint8_t handler_return[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

size_t code_find_handler_return(const uint8_t *code, size_t size, size_t from, uint32_t *bytes)
{
	const uint8_t *found = from < size ? memmem(code + from, size - from, handler_return,
						    sizeof(handler_return))
					   : NULL;

	*bytes = sizeof(handler_return);
	return found ? (size_t)(found - code) : size;
}

/* push GOT+8(%rip); [bnd] jmp *GOT+16(%rip). A header begins so (ABI, 5.2); mold's goes on so. */
static bool is_plt_header(const uint8_t *code, size_t size)
{
	struct insn push, jump;
	size_t bytes;

	if (!decode(code, size, &push) || push.map != MAP_ONE || push.op != 0xff ||
	    (push.reg & 7) != 6 || !push.is_relative)
		return false;
	bytes = push.p - code;
	if (!decode(push.p, size - bytes, &jump) || jump.map != MAP_ONE || jump.op != 0xff ||
	    (jump.reg & 7) != 4 || !jump.is_relative)
		return false;
	return jump.p - push.p + jump.disp == push.disp + 8;
}

size_t code_find_plt_header(const uint8_t *code, size_t size, size_t from, struct code_state *state)
{
	const uint8_t *at;

	*state = (struct code_state){.sp = RETURN_BYTES + 8};
	for (; from < size && (at = memchr(code + from, 0xff, size - from)); from++) {
		from = at - code;
		if (is_plt_header(at, size - from))
			return from;
	}
	return size;
}
