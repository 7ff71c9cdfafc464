// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of A64, as far as it takes to know what they do to sp, x29 and x30. Source: Arm
 * Architecture Reference Manual for A-profile architecture, C4 (A64 Instruction Set Encoding). The
 * lost registers of a state are those that have another value than the caller's, even if that is
 * saved.
 */
#include "record/cfi/code_step.h"

#include <string.h>

#include "bpf/walk/unwind.h"

/* Numbers of registers in instructions. 31 is sp in some places, and no register in others. */
enum { FP = 29, LR = 30, SP = 31 };

/* Frames have at most so many bytes. Larger ones are not code. */
#define FRAME_BYTES_MAX (64 << 20)

/* Of an access to memory: it is not known to be of the frame. */
#define NO_PLACE INT32_MIN

#define NOP 0xd503201f

/* The bits of @word from @low on, @nr of them. */
static uint32_t bits(uint32_t word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

static int64_t signed_bits(uint32_t word, unsigned int low, unsigned int nr)
{
	return (int64_t)((uint64_t)bits(word, low, nr) << (64 - nr)) >> (64 - nr);
}

static uint32_t word_at(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* The sp becomes @sp. What was saved below it is there no more. */
static bool set_sp(struct code_state *s, int64_t sp)
{
	if (s->is_root)
		return true;
	if (sp < 0 || sp > FRAME_BYTES_MAX)
		return false;
	s->sp = (int32_t)sp;
	if (s->saved_fp > s->sp)
		s->saved_fp = 0;
	if (s->saved_kept > s->sp)
		s->saved_kept = 0;
	return true;
}

/* Moves sp by @bytes down. */
static bool move_sp(struct code_state *s, int64_t bytes)
{
	return s->sp == CODE_NOT_KNOWN || set_sp(s, s->sp + bytes);
}

/*
 * The stack is aligned, or gets an array. From there on x29 tells, if it points into the frame, or
 * a copy of sp.
 */
static bool lose_sp(struct code_state *s)
{
	s->sp = CODE_NOT_KNOWN;
	return s->is_root || s->fp || s->copy_reg;
}

static void drop_copy(struct code_state *s)
{
	s->copy_reg = s->copy = 0;
}

/* An instruction has put something else than the caller's value into @reg, which is not sp. */
static void write_register(struct code_state *s, uint32_t reg)
{
	if (s->copy_reg && reg == s->copy_reg)
		drop_copy(s);
	if (reg == FP) {
		s->fp = 0;
		s->has_lost_fp = true;
	} else if (reg == LR) {
		s->has_lost_kept = true;
	}
}

/* x29 has become 0. The ABI ends the list of frames so (6.4.6). */
static void clear_fp(struct code_state *s)
{
	if (!s->saved_fp && !s->fp && !s->has_lost_fp)
		s->is_root = true;
	write_register(s, FP);
}

/* The place that is @disp above register @base. */
static int32_t place_of(const struct code_state *s, uint32_t base, int64_t disp)
{
	if (base == SP && s->sp != CODE_NOT_KNOWN)
		return s->sp - (int32_t)disp;
	return base == FP && s->fp ? s->fp - (int32_t)disp : NO_PLACE;
}

/* Adds @disp to register @base. */
static bool move_base(struct code_state *s, uint32_t base, int64_t disp)
{
	if (base == SP)
		return move_sp(s, -disp);
	write_register(s, base);
	return true;
}

/* An instruction that moves one or two registers to or from memory. */
struct access {
	uint32_t base;
	int64_t disp;
	bool moves_before, moves_after; /* base, by disp */
	bool is_load, is_vector;
	uint32_t bytes; /* of each register */
	uint32_t nr, regs[2];
};

static bool overlaps(int32_t saved, int32_t at, uint32_t bytes)
{
	return saved && at - (int32_t)bytes < saved && saved - 8 < at;
}

static void store_register(struct code_state *s, const struct access *a, uint32_t reg, int32_t at)
{
	const bool is_whole = a->bytes == 8 && !a->is_vector && at >= 8 && s->sp != CODE_NOT_KNOWN;

	if (at == NO_PLACE)
		return;
	if (overlaps(s->saved_fp, at, a->bytes))
		s->saved_fp = 0;
	if (overlaps(s->saved_kept, at, a->bytes))
		s->saved_kept = 0;
	if (!is_whole || at > s->sp)
		return;
	if (reg == FP && !s->has_lost_fp && !s->saved_fp)
		s->saved_fp = at;
	if (reg == LR && !s->has_lost_kept && !s->saved_kept)
		s->saved_kept = at;
}

/* The caller's value stays saved, too, until sp leaves it behind. */
static void load_register(struct code_state *s, const struct access *a, uint32_t reg, int32_t at)
{
	const bool is_whole = a->bytes == 8 && at != NO_PLACE;

	write_register(s, reg);
	if (is_whole && reg == FP && s->saved_fp == at)
		s->has_lost_fp = false;
	if (is_whole && reg == LR && s->saved_kept == at)
		s->has_lost_kept = false;
}

static bool step_access(struct code_state *s, const struct access *a)
{
	int32_t at;

	if (a->moves_before && !move_base(s, a->base, a->disp))
		return false;
	at = place_of(s, a->base, a->moves_before || a->moves_after ? 0 : a->disp);
	for (uint32_t i = 0; i < a->nr; i++) {
		const int32_t place = at == NO_PLACE ? at : at - (int32_t)(i * a->bytes);

		if (!a->is_load)
			store_register(s, a, a->regs[i], place);
		else if (!a->is_vector)
			load_register(s, a, a->regs[i], place);
	}
	return !a->moves_after || move_base(s, a->base, a->disp);
}

/* ldp, stp and their like. */
static bool step_pair(uint32_t word, struct code_state *s)
{
	const uint32_t size = bits(word, 30, 2), mode = bits(word, 23, 2);
	struct access a = {.base = bits(word, 5, 5),
			   .is_load = bits(word, 22, 1),
			   .is_vector = bits(word, 26, 1),
			   .moves_after = mode == 1,
			   .moves_before = mode == 3,
			   .nr = 2,
			   .regs = {bits(word, 0, 5), bits(word, 10, 5)}};
	uint32_t scale;

	if (size == 3)
		return false;
	a.bytes = a.is_vector ? 4u << size : size ? 8 : 4;
	scale = a.bytes;
	if (!a.is_vector && size == 1) {
		/* ldpsw has words, and stgp granules. */
		a.bytes = a.is_load ? 4 : 8;
		scale = a.is_load ? 4 : 16;
	}
	a.disp = signed_bits(word, 15, 7) * scale;
	return step_access(s, &a);
}

/* What ldr and str share with their like: the register, and how many bytes it has. */
static struct access access_of(uint32_t word)
{
	const uint32_t size = bits(word, 30, 2), opc = bits(word, 22, 2);
	struct access a = {.base = bits(word, 5, 5),
			   .is_vector = bits(word, 26, 1),
			   .nr = 1,
			   .regs = {bits(word, 0, 5)}};

	a.is_load = a.is_vector ? opc & 1 : opc != 0;
	a.bytes = a.is_vector && opc & 2 ? 16 : 1u << size;
	/* A load that extends its sign writes more than it reads. */
	if (!a.is_vector && opc & 2 && size == 3)
		a.nr = 0; /* prfm */
	return a;
}

/* Accesses at a register's value plus another one, and atomic ones, of which all write. */
static bool step_indexed(uint32_t word, struct code_state *s)
{
	const uint32_t kind = bits(word, 10, 2), base = bits(word, 5, 5);
	struct access a = access_of(word);

	if (kind == 2) {
		a.base = 0;
		return step_access(s, &a);
	}
	if (a.is_vector || (word & 0xff20fc00) == 0xf820d000) /* ld64b has eight registers */
		return false;
	/* Behind the signature that it checks, ldraa may move its base. */
	if (kind && (bits(word, 30, 2) != 3 || (kind == 3 && base >= FP)))
		return false;
	if (kind == 3)
		write_register(s, base);
	if (!kind) /* st64bv says there whether it has stored */
		write_register(s, bits(word, 16, 5));
	write_register(s, bits(word, 0, 5));
	return true;
}

static bool step_single(uint32_t word, struct code_state *s)
{
	const uint32_t kind = bits(word, 10, 2);
	struct access a = access_of(word);

	if (bits(word, 24, 1)) {
		a.disp = (int64_t)bits(word, 10, 12) * a.bytes;
		return step_access(s, &a);
	}
	if (bits(word, 21, 1))
		return step_indexed(word, s);
	a.disp = signed_bits(word, 12, 9);
	a.moves_after = kind == 1;
	a.moves_before = kind == 3;
	return step_access(s, &a);
}

/* Such an instruction may write any register that it has in @fields. */
static bool may_write(struct code_state *s, const uint32_t fields[static 3])
{
	bool is_followed = false;

	for (size_t i = 0; i < 3; i++) {
		is_followed |= fields[i] == FP || fields[i] == LR;
		write_register(s, fields[i]);
	}
	return is_followed;
}

/* Accesses of other kinds, which hardly any function has for its frame. */
static bool step_other_memory(uint32_t word, struct code_state *s)
{
	const uint32_t rt = bits(word, 0, 5), rn = bits(word, 5, 5), rs = bits(word, 16, 5);

	if ((word & 0x3b000000) == 0x18000000) { /* ldr of what is beside the code */
		if (!bits(word, 26, 1) && bits(word, 30, 2) != 3)
			write_register(s, rt);
		return true;
	}
	if ((word & 0xbfa00000) == 0x08200000) /* casp has two pairs */
		return false;
	if ((word & 0x3f000000) == 0x08000000) /* exclusive and ordered ones, and cas */
		return !may_write(s, (const uint32_t[]){rt, rs, bits(word, 10, 5)});
	if ((word & 0xbe000000) == 0x0c000000) { /* ld1 and its like */
		if (bits(word, 23, 1))
			write_register(s, rn);
		return !bits(word, 23, 1) || rn != SP || s->sp == CODE_NOT_KNOWN;
	}
	/* ldapur, tags of memory, copies of memory */
	return (word & 0x3f000000) == 0x19000000 && !may_write(s, (const uint32_t[]){rt, rn, rs}) &&
	       rt != SP && rn != SP && rs != SP;
}

static bool step_memory(uint32_t word, struct code_state *s)
{
	if ((word & 0x3a000000) == 0x28000000)
		return step_pair(word, s);
	if ((word & 0x3a000000) == 0x38000000)
		return step_single(word, s);
	return step_other_memory(word, s);
}

/* add and sub of a number */
static bool step_add(uint32_t word, struct code_state *s)
{
	const uint32_t rd = bits(word, 0, 5), rn = bits(word, 5, 5);
	const bool is_wide = bits(word, 31, 1), sets_flags = bits(word, 29, 1);
	int64_t number = (int64_t)bits(word, 10, 12) << (bits(word, 22, 1) ? 12 : 0);

	if (bits(word, 30, 1))
		number = -number;
	if (rd == SP && !sets_flags) {
		if (!is_wide)
			return s->is_root;
		if (rn == SP)
			return move_sp(s, -number);
		if (rn == FP && s->fp)
			return set_sp(s, s->fp - number);
		return s->copy_reg && rn == s->copy_reg ? set_sp(s, s->copy - number) : lose_sp(s);
	}
	write_register(s, rd);
	if (word == (0x910003e0 | rd) && rd && rd < FP && s->sp > 0 &&
	    !s->copy_reg) { /* mov xN, sp */
		s->copy_reg = rd;
		s->copy = s->sp;
	}
	if (rd == FP && rn == SP && is_wide && !sets_flags && s->sp != CODE_NOT_KNOWN &&
	    s->sp > number && number >= 0)
		s->fp = s->sp - (int32_t)number;
	return true;
}

/*
 * The address that adrp takes with the add that mostly follows it. adr is for places within the
 * function: compilers count the parts that a table leads to from there.
 */
static uint64_t taken_address(uint32_t word, uint32_t next, uint64_t addr)
{
	const uint32_t rd = bits(word, 0, 5);
	const int64_t pages = signed_bits(word, 5, 19) * 4 + bits(word, 29, 2);

	if (!bits(word, 31, 1) || (next & 0xffc003ff) != (0x91000000 | rd << 5 | rd))
		return 0;
	return (addr & ~0xfffULL) + (uint64_t)(pages * 4096) + bits(next, 10, 12);
}

/* Instructions with a number in them. @next is the instruction that follows, or 0. */
static bool step_number(uint32_t word, uint32_t next, uint64_t addr, struct code_state *s,
			struct code_step *step)
{
	const uint32_t rd = bits(word, 0, 5);

	switch (bits(word, 23, 3)) {
	case 0:
	case 1:
		step->refers = taken_address(word, next, addr);
		break;
	case 2:
		return step_add(word, s);
	case 3: /* addg, subg, smax: of registers that compilers do not take for the frame */
		write_register(s, rd);
		return rd < FP;
	case 4: /* and, orr, eor; but ands has no sp */
		if (rd == SP && bits(word, 29, 2) != 3)
			return lose_sp(s);
		break;
	default:
		if (word == 0xd280001d) { /* mov x29, #0 */
			clear_fp(s);
			return true;
		}
		break;
	}
	write_register(s, rd);
	return true;
}

/* Instructions of registers alone. */
static bool step_registers(uint32_t word, struct code_state *s)
{
	const uint32_t rd = bits(word, 0, 5);

	/* add and sub of a register that is extended: all others have no sp, but irg. */
	if ((word & 0x3f200000) == 0x0b200000 && rd == SP)
		return lose_sp(s);
	if (((word & 0xffe0fc00) == 0x9ac01000 || (word & 0xbfe0e000) == 0x9a002000) && rd == SP)
		return s->is_root; /* irg, addpt, subpt */
	/* A signature of x30 is in bits that no address has. */
	if ((word & 0xffff8000) == 0xdac10000 && rd == LR)
		return true;
	if (word == 0xaa1f03fd) /* mov x29, xzr */
		clear_fp(s);
	else
		write_register(s, rd);
	return true;
}

/* Instructions of vectors and of floating point, of which few write other registers. */
static bool step_vector(uint32_t word, struct code_state *s)
{
	const uint32_t opcode = bits(word, 16, 3);
	bool writes = false;

	if ((word & 0x7f20fc00) ==
	    0x1e200000) /* fmov, fcvtzs; but not ucvtf, scvtf and fmov back */
		writes = opcode != 2 && opcode != 3 && opcode != 7;
	else if ((word & 0x7f200000) == 0x1e000000)
		writes = opcode < 2;
	else if ((word & 0xbfe0fc00) == 0x0e003c00 || (word & 0xbfe0fc00) == 0x0e002c00)
		writes = true; /* umov, smov */
	if (writes)
		write_register(s, bits(word, 0, 5));
	return true;
}

/* Instructions of scalable vectors, of which those that begin so may write other registers. */
static bool step_scalable(uint32_t word, struct code_state *s)
{
	const uint32_t top = word >> 24, rd = bits(word, 0, 5);

	if (top != 0x04 && top != 0x05 && top != 0x25)
		return true;
	write_register(s, rd);
	return rd < FP;
}

/* System calls, hints, barriers, and special registers. */
static bool step_system(uint32_t word, struct code_state *s)
{
	if ((word & 0xffe0001f) == 0xd4000001)
		return true; /* svc */
	if (word >> 24 != 0xd5 || bits(word, 22, 1))
		return false;
	/* Some hints sign x17 by x16, and one asks x16. */
	if ((word & 0xfffff01f) == NOP && word != NOP && (s->copy_reg == 16 || s->copy_reg == 17))
		drop_copy(s);
	if (bits(word, 21, 1))
		write_register(s, bits(word, 0, 5));
	return true;
}

/* br, blr and ret, and those that check a signature. Returns false if @word is none of them. */
static bool find_register_flow(uint32_t word, struct code_step *step)
{
	const uint32_t rn = bits(word, 5, 5);

	if (word == 0xd65f03c0 || word == 0xd65f0bff || word == 0xd65f0fff)
		step->flow = CODE_RETURNS;
	else if ((word & 0xfefff000) == 0xd63f0000)
		step->flow = CODE_CALLS;
	else if ((word & 0xfefff000) == 0xd61f0000)
		/* x16 and x17 are for jumps to other functions, as those of stubs. */
		step->flow = rn == 16 || rn == 17 ? CODE_LEAVES : CODE_JUMPS_FAR;
	else
		return false;
	return true;
}

/* A jump, a call or a return. Returns false if it is none. */
static bool find_flow(uint32_t word, uint64_t addr, struct code_step *step)
{
	int64_t words;

	if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
		step->flow = bits(word, 31, 1) ? CODE_CALLS : CODE_JUMPS;
		words = signed_bits(word, 0, 26);
	} else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		step->flow = CODE_BRANCHES; /* b.cond, cbz */
		words = signed_bits(word, 5, 19);
	} else if ((word & 0x7e000000) == 0x36000000) {
		step->flow = CODE_BRANCHES; /* tbz */
		words = signed_bits(word, 5, 14);
	} else if (word < 0x10000 || (word & 0xffe0001f) == 0xd4200000 ||
		   (word & 0xffe0001f) == 0xd4400000) {
		step->flow = CODE_STOPS; /* udf, brk, hlt */
		return true;
	} else {
		return find_register_flow(word, step);
	}
	step->target = addr + (uint64_t)(words * 4);
	return true;
}

/* What a jump, a call or a return does to the state. */
static bool step_flow(const struct code_step *step, uint64_t addr, struct code_state *s)
{
	switch (step->flow) {
	case CODE_CALLS:
		write_register(s, LR);
		if (s->copy_reg && s->copy_reg < 19) { /* callees preserve those from x19 on */
			if (s->sp == CODE_NOT_KNOWN && !s->fp)
				return false;
			drop_copy(s);
		}
		/* A call of what follows gets the address. */
		return step->target != addr + step->size;
	case CODE_LEAVES:
		/* The header of a PLT has pushed x16 and x30. */
		return !s->sp || (s->sp == 16 && s->saved_kept == 8 && !s->saved_fp);
	case CODE_RETURNS:
		return !s->sp && !s->has_lost_kept && !s->is_root;
	default:
		return true;
	}
}

uint32_t code_insn_bytes(void)
{
	return INSN_BYTES_MAX;
}

struct code_state code_state_at_entry(void)
{
	return (struct code_state){.sp = RETURN_BYTES};
}

bool code_step(const uint8_t *code, size_t size, uint64_t addr, struct code_state *state,
	       struct code_step *step)
{
	uint32_t word;

	*step = (struct code_step){.flow = CODE_GOES_ON};
	if (size < INSN_BYTES_MAX || addr % INSN_BYTES_MAX)
		return false;
	step->size = INSN_BYTES_MAX;
	word = word_at(code);
	if (find_flow(word, addr, step))
		return step_flow(step, addr, state);
	switch (bits(word, 25, 4)) {
	case 2:
		return step_scalable(word, state);
	case 4:
	case 6:
	case 12:
	case 14:
		return step_memory(word, state);
	case 5:
	case 13:
		return step_registers(word, state);
	case 7:
	case 15:
		return step_vector(word, state);
	case 8:
	case 9:
		return step_number(word, size < 8 ? 0 : word_at(code + 4), addr, state, step);
	case 10:
	case 11:
		return step_system(word, state);
	default:
		return false;
	}
}

uint32_t code_padding(const uint8_t *code, size_t size)
{
	uint32_t word;

	if (size < INSN_BYTES_MAX)
		return 0;
	word = word_at(code);
	return word == NOP || !word ? INSN_BYTES_MAX : 0;
}

/* mov x8, #__NR_rt_sigreturn; svc #0: libgcc and gdb know it by these bytes, too. */
static const uint8_t handler_return[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};

size_t code_find_handler_return(const uint8_t *code, size_t size, size_t from, uint32_t *bytes)
{
	const uint8_t *found = from < size ? memmem(code + from, size - from, handler_return,
						    sizeof(handler_return))
					   : NULL;

	*bytes = sizeof(handler_return);
	return found ? (size_t)(found - code) : size;
}

/* Stubs push nothing, so a header begins as any function does. */
size_t code_find_plt_header(const uint8_t *code, size_t size, size_t from, struct code_state *state)
{
	(void)code, (void)from;
	*state = code_state_at_entry();
	return size;
}
