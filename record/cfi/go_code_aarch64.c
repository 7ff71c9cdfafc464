// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions are those of runtime/asm_arm64.s, as Go's assembler encodes them. */
#include "record/cfi/go_code.h"

#include <string.h>

#include "common/cleanup.h"
#include "elf/go_table.h"

/* str x30, [sp, #-16]!, with which functions begin that have a frame of 16 bytes. */
#define MAKE_FRAME 0xf81f0ffe

/* Masks, and the instructions that they leave. */
#define CALL_MASK      0xfc000000 /* bl */
#define CALL           0x94000000
#define CALL_REG_MASK  0xfffffc1f /* blr */
#define CALL_REG       0xd63f0000
#define SET_SP_MASK    0xfffffc1f /* mov sp, xN */
#define SET_SP         0x9100001f
#define STORE_MASK     0xffc003ff /* str x30, [x28, #N]; str x3, [x28, #N] */
#define STORE_X30      0xf900039e
#define STORE_X3       0xf9000383
#define LOAD_MASK      0xffc003e0 /* ldr xN, [x28, #N] */
#define LOAD           0xf9400380
#define LOAD_G_MASK    0xffc0001f /* ldr x28, [xN, #N] */
#define LOAD_G         0xf940001c
#define LOAD_HIGH_MASK 0xffc003ff /* ldr x4, [x4, #N] */
#define LOAD_HIGH      0xf9400084

/* There is no such instruction in the code. */
#define NOWHERE UINT32_MAX

/* The instruction at @off; 0, which is none, if the code is not that long. */
static uint32_t insn_at(const struct go_code *code, uint32_t off)
{
	uint32_t insn = 0;

	if (off <= code->size && code->size - off >= sizeof(insn))
		memcpy(&insn, code->bytes + off, sizeof(insn));
	return insn;
}

/* Looks for an instruction that @mask leaves @insn of, from @off on. */
static uint32_t find(const struct go_code *code, uint32_t off, uint32_t mask, uint32_t insn)
{
	for (; off != NOWHERE && insn_at(code, off); off += 4)
		if ((insn_at(code, off) & mask) == insn)
			return off;
	return NOWHERE;
}

/* The place behind the instruction at @off. */
static uint32_t behind(uint32_t off)
{
	return off == NOWHERE ? NOWHERE : off + 4;
}

/* Takes the offset of the load or store at @off, if @mask leaves @insn of it. */
static bool take(const struct go_code *code, uint32_t off, uint32_t mask, uint32_t insn,
		 int32_t *place)
{
	const uint32_t found = insn_at(code, off);

	if ((found & mask) != insn)
		return false;
	*place = (int32_t)(found >> 10 & 0xfff) * 8;
	return true;
}

static void add_stretch(struct go_stretches *s, uint32_t start, uint32_t end,
			struct unwind_rule rule)
{
	s->all[s->nr++] = (struct go_stretch){start, end, rule};
}

static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_UNSUPPORTED};

/*
 * What follows the call of the function: m of g, which is in x28, curg of that, and the stack
 * pointer of curg. *@own and *@end are where the function goes on on the thread's stack, and where
 * it is back.
 */
static bool read_switch(const struct go_code *code, uint32_t *own, uint32_t *end,
			struct unwind_rule *rule)
{
	struct unwind_rule r = {.cfa = UNWIND_CFA_GO_SWITCH};
	uint32_t at;

	*own = behind(find(code, 0, SET_SP_MASK, SET_SP));
	at = behind(find(code, *own, CALL_REG_MASK, CALL_REG));
	if (at == NOWHERE || !take(code, at, LOAD_MASK, LOAD, &r.cfa_add) ||
	    !take(code, at + 4, LOAD_G_MASK, LOAD_G, &r.fp_off) ||
	    (insn_at(code, at + 8) & CALL_MASK) != CALL ||
	    !take(code, at + 12, LOAD_MASK, LOAD, &r.kept_off) ||
	    (insn_at(code, at + 16) & SET_SP_MASK) != SET_SP)
		return false;
	*end = at + 20;
	*rule = r;
	return true;
}

/*
 * Where it is on the thread's stack already, it takes its frame away, and jumps, which its program
 * does not tell: ldr x30, [sp], #16; sub x29, sp, #8; br xN.
 */
static bool read_systemstack(const struct go_code *code, struct go_stretches *s)
{
	const struct unwind_rule gone = {.cfa = UNWIND_CFA_REG,
					 .cfa_reg = UNWIND_REG_SP,
					 .ra = UNWIND_RA_KEPT,
					 .fp = UNWIND_SAVED_LOST};
	struct unwind_rule rule;
	uint32_t own, end, jump;

	if (insn_at(code, 0) != MAKE_FRAME || !read_switch(code, &own, &end, &rule))
		return false;
	jump = find(code, end, UINT32_MAX, 0xd10023fd);
	if (jump == NOWHERE || insn_at(code, jump - 4) != 0xf84107fe)
		return false;
	add_stretch(s, own, end, rule);
	add_stretch(s, jump, jump + 8, gone);
	return true;
}

/*
 * It saves x30 and x3, which is the return address of the function that called it, in the
 * goroutine. They stay there.
 */
static bool read_morestack(const struct go_code *code, const struct go_code *systemstack,
			   struct go_stretches *s)
{
	struct unwind_rule rule;
	uint32_t own, end, at = find(code, 0, STORE_MASK, STORE_X30);
	int32_t pc;

	if (at == NOWHERE || !take(code, at, STORE_MASK, STORE_X30, &pc) ||
	    !read_switch(systemstack, &own, &end, &rule) || rule.kept_off != pc - 8 ||
	    !take(code, at + 4, STORE_MASK, STORE_X3, &rule.cfa_off))
		return false;
	rule.cfa_reg = UNWIND_REG_PC;
	add_stretch(s, at + 8, code->size, rule);
	return true;
}

/*
 * A call of C, from @from on: with the goroutine at sp and its depth a word above. Before that, the
 * stack is another one already, and nothing is there.
 */
static bool read_call(const struct go_code *code, uint32_t from, struct unwind_rule rule,
		      struct go_stretches *s)
{
	uint32_t own = behind(find(code, from, SET_SP_MASK, SET_SP));
	uint32_t call = find(code, own, CALL_REG_MASK, CALL_REG);
	uint32_t end = behind(find(code, call, SET_SP_MASK, SET_SP));

	if (call == NOWHERE || end == NOWHERE)
		return false;
	add_stretch(s, own, call, unknown);
	add_stretch(s, call, end, rule);
	return true;
}

static bool read_asmcgocall(const struct go_code *code, struct go_stretches *s)
{
	struct unwind_rule r = {
		.cfa = UNWIND_CFA_GO_CALL, .cfa_reg = UNWIND_REG_SP, .cfa_add = sizeof(uint64_t)};
	uint32_t call = find(code, 0, CALL_REG_MASK, CALL_REG);

	/* str x4, [sp]; ldr x4, [x4, #HIGH]; sub x4, x4, x2; str x4, [sp, #8]; blr x1 */
	return insn_at(code, 0) == MAKE_FRAME && call != NOWHERE && call >= 16 &&
	       insn_at(code, call - 16) == 0xf90003e4 &&
	       take(code, call - 12, LOAD_HIGH_MASK, LOAD_HIGH, &r.fp_off) &&
	       insn_at(code, call - 8) == 0xcb020084 && insn_at(code, call - 4) == 0xf90007e4 &&
	       read_call(code, 0, r, s) &&
	       /* mov x4, #0, or from xzr; str x4, [sp]; str x2, [sp, #8]; blr x1 */
	       find(code, s->all[1].end, UINT32_MAX, 0xf90007e2) != NOWHERE &&
	       read_call(code, s->all[1].end, r, s);
}

/* A call returns to the byte behind it, and is looked up at the one before. */
static bool read_mcall(const struct go_code *code, struct go_stretches *s)
{
	const struct unwind_rule root = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .ra = UNWIND_RA_UNDEFINED};
	uint32_t call = find(code, 0, CALL_MASK, CALL);

	if (call == NOWHERE || find(code, 0, SET_SP_MASK, SET_SP) < call)
		return false;
	add_stretch(s, call + 1, code->size, root);
	return true;
}

/*
 * C calls it, and it keeps x29 and x30 in the middle of its frame: sub sp, sp, #N; stp x29, x30,
 * [sp, #M]; ldp x29, x30, [sp, #M]; add sp, sp, #N.
 */
static bool read_crosscall(const struct go_code *code, struct go_stretches *s)
{
	const uint32_t make = insn_at(code, 0), size = make >> 10 & 0xfff;
	const uint32_t save = find(code, 0, 0xffe07fff, 0xa9007bfd);
	const uint32_t end = find(code, save, UINT32_MAX, 0x910003ff | size << 10);
	struct unwind_rule made = {.cfa = UNWIND_CFA_REG,
				   .cfa_reg = UNWIND_REG_SP,
				   .cfa_off = (int32_t)size,
				   .ra = RETURN_AT_ENTRY};
	struct unwind_rule saved = made;

	if (end == NOWHERE || (make & 0xffc003ff) != 0xd10003ff ||
	    insn_at(code, end - 4) != (insn_at(code, save) | 1u << 22))
		return false;
	saved.fp = saved.kept = UNWIND_SAVED_CFA;
	saved.fp_off = (int32_t)(insn_at(code, save) >> 15 & 0x3f) * 8 - (int32_t)size;
	saved.kept_off = saved.fp_off + 8;
	add_stretch(s, 4, save + 4, made);
	add_stretch(s, save + 4, end, saved);
	add_stretch(s, end, end + 4, made);
	return true;
}

static bool is_name(const char *name, size_t left, const char *wanted)
{
	size_t len = strlen(wanted) + 1;

	return left >= len && !memcmp(name, wanted, len);
}

enum go_code_kind go_code_kind_of(const char *name, size_t left)
{
	static const char *const names[GO_NR_CODES] = {
		[GO_SYSTEMSTACK] = "runtime.systemstack",
		[GO_ASMCGOCALL] = "runtime.asmcgocall",
		[GO_MORESTACK] = "runtime.morestack",
		[GO_MCALL] = "runtime.mcall",
		[GO_CROSSCALL] = "crosscall2",
	};

	for (enum go_code_kind kind = 0; kind < GO_NR_CODES; kind++)
		if (names[kind] && is_name(name, left, names[kind]))
			return kind;
	return GO_NR_CODES;
}

bool go_code_needs_flags(void)
{
	return true;
}

/*
 * The assembler may move sp as bytes that no program knows, and keep x30 anywhere. Functions of the
 * runtime that set sp have frames like the compiler's, or none.
 */
bool go_code_is_told(const char *name, size_t left, uint8_t flags)
{
	static const char runtime[] = "runtime.";

	if (!(flags & GO_ASSEMBLER))
		return true;
	return flags & GO_SETS_STACK &&
	       (is_name(name, left, "gogo") || is_name(name, left, "racecall") ||
		(left >= sizeof(runtime) && !memcmp(name, runtime, sizeof(runtime) - 1)));
}

bool go_code_read(const struct go_code codes[static GO_NR_CODES], enum go_code_kind kind,
		  struct go_stretches *stretches)
{
	*stretches = (struct go_stretches){0};
	switch (kind) {
	case GO_SYSTEMSTACK:
		return read_systemstack(&codes[kind], stretches);
	case GO_ASMCGOCALL:
		return read_asmcgocall(&codes[kind], stretches);
	case GO_MORESTACK:
		return read_morestack(&codes[kind], &codes[GO_SYSTEMSTACK], stretches);
	case GO_MCALL:
		return read_mcall(&codes[kind], stretches);
	case GO_CROSSCALL:
		return read_crosscall(&codes[kind], stretches);
	default:
		return false;
	}
}
