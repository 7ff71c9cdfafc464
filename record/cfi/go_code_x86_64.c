// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions are those of runtime/asm_amd64.s and race_amd64.s, as Go's assembler encodes
 * them. */
#include "record/cfi/go_code.h"

#include <string.h>

#include "common/cleanup.h"

/* Looks for the @len bytes of @insn from @off on. Returns the place behind them, 0 if none is. */
static uint32_t find_behind(const struct go_code *code, uint32_t off, const char *insn, size_t len)
{
	for (; off + len <= code->size; off++)
		if (!memcmp(code->bytes + off, insn, len))
			return off + len;
	return 0;
}

#define FIND_BEHIND(code, off, insn) find_behind(code, off, insn, sizeof(insn) - 1)

/* Passes over the bytes of @insn, which must be at *@off, and takes the number behind them. */
static bool take(const struct go_code *code, uint32_t *off, const char *insn, size_t len,
		 size_t size, int32_t *number)
{
	uint32_t at = *off + len;

	if (at + size > code->size || memcmp(code->bytes + *off, insn, len) != 0)
		return false;
	*off = at + size;
	if (size == 1)
		*number = (int8_t)code->bytes[at];
	else if (size == sizeof(*number))
		memcpy(number, code->bytes + at, size);
	return true;
}

#define TAKE(code, off, insn, size, number) take(code, off, insn, sizeof(insn) - 1, size, number)

/* mov %fs:N,%rax; where the program may lie anywhere, mov $N,%rcx and mov %fs:(%rcx),%rax. */
static bool take_thread(const struct go_code *code, uint32_t *off, int32_t *thread)
{
	int32_t none;

	return TAKE(code, off, "\x64\x48\x8b\x04\x25", 4, thread) ||
	       (TAKE(code, off, "\x48\xc7\xc1", 4, thread) &&
		TAKE(code, off, "\x64\x48\x8b\x01", 0, &none));
}

/*
 * What follows the call of the function: g of the thread, its m, curg of that, and the stack
 * pointer of curg. *@call and *@end are behind the call, and behind the switch back.
 */
static bool read_switch(const struct go_code *code, uint32_t *call, uint32_t *end,
			struct unwind_rule *rule)
{
	struct unwind_rule r = {.cfa = UNWIND_CFA_GO_SWITCH};
	uint32_t off = *call = FIND_BEHIND(code, 0, "\xff\xd7"); /* call *%rdi */
	int32_t sp;

	if (!off || !take_thread(code, &off, &r.cfa_off) ||
	    !TAKE(code, &off, "\x48\x8b\x58", 1, &r.cfa_add) || /* mov M(%rax),%rbx */
	    !TAKE(code, &off, "\x48\x8b\x83", 4, &r.fp_off))    /* mov CURG(%rbx),%rax */
		return false;
	off = FIND_BEHIND(code, off, "\x48\x8b\x60"); /* mov SP(%rax),%rsp */
	if (!off || !TAKE(code, &off, "", 1, &sp))
		return false;
	r.kept_off = sp;
	*end = off;
	*rule = r;
	return true;
}

static bool read_systemstack(const struct go_code *code, struct go_stretches *s)
{
	uint32_t call, end, own = FIND_BEHIND(code, 0, "\x48\x89\xdc"); /* mov %rbx,%rsp */

	if (!own)
		own = FIND_BEHIND(code, 0, "\x48\x8b\x62"); /* mov SP(%rdx),%rsp */
	if (!own || !read_switch(code, &call, &end, &s->all[0].rule) || own > call)
		return false;
	s->own = s->all[0].start = own;
	s->all[0].end = s->own_again = end;
	s->nr = 1;
	return true;
}

static bool read_morestack(const struct go_code *code, const struct go_code *systemstack,
			   struct go_stretches *s)
{
	uint32_t call, end, own = FIND_BEHIND(code, 0, "\x48\x8b\x63"); /* mov SP(%rbx),%rsp */

	if (!own || own >= code->size || !read_switch(systemstack, &call, &end, &s->all[0].rule))
		return false;
	s->all[0].rule.cfa_reg = UNWIND_REG_PC;
	s->own = s->all[0].start = own + 1;
	s->all[0].end = code->size;
	s->nr = 1;
	return true;
}

static bool read_asmcgocall(const struct go_code *code, struct go_stretches *s)
{
	struct unwind_rule r = {.cfa = UNWIND_CFA_GO_CALL};
	uint32_t own = FIND_BEHIND(code, 0, "\x48\x8b\x66"); /* mov SP(%rsi),%rsp */
	uint32_t first = FIND_BEHIND(code, own, "\xff\xd0"); /* call *%rax */
	uint32_t second = FIND_BEHIND(code, first, "\xff\xd0"), off = first;
	int32_t thread;

	if (!own || !first)
		return false;
	/* mov $N,%rcx, which the code does not need yet; mov G(%rsp),%rdi; mov HIGH(%rdi),%rsi;
	 * sub DEPTH(%rsp),%rsi */
	TAKE(code, &off, "\x48\xc7\xc1", 4, &thread);
	if (!TAKE(code, &off, "\x48\x8b\x7c\x24", 1, &r.cfa_off) ||
	    !TAKE(code, &off, "\x48\x8b\x77", 1, &r.fp_off) ||
	    !TAKE(code, &off, "\x48\x2b\x74\x24", 1, &r.cfa_add))
		return false;
	s->own = own - 3;
	s->all[0] = (struct go_stretch){first - 2, first, r};
	s->all[1] = (struct go_stretch){second - 2, second, r};
	s->nr = second ? 2 : 1;
	return true;
}

/*
 * It keeps its stack pointer in a register that the race detector preserves, because that is C. The
 * table of the file says where (GO_RACECALL in record/cfi/unwind_table.c).
 */
static bool read_racecall(const struct go_code *code, struct go_stretches *s)
{
	uint32_t own = FIND_BEHIND(code, 0, "\x49\x89\xe4");   /* mov %rsp,%r12 */
	uint32_t end = FIND_BEHIND(code, own, "\x4c\x89\xe4"); /* mov %r12,%rsp */

	if (!own || !end)
		return false;
	s->own = own;
	s->all[0] = (struct go_stretch){own,
					end,
					{.cfa = UNWIND_CFA_OTHER_STACK,
					 .cfa_reg = UNWIND_REG_KEPT_INSTEAD,
					 .cfa_off = RETURN_BYTES}};
	s->nr = 1;
	s->own_again = end;
	return true;
}

static bool is_name(const char *name, size_t left, const char *wanted)
{
	size_t len = strlen(wanted) + 1;

	return left >= len && !memcmp(name, wanted, len);
}

enum go_code_kind go_code_kind_of(const char *name, size_t left)
{
	static const char *const names[] = {"runtime.systemstack", "runtime.asmcgocall",
					    "runtime.morestack", "racecall"};

	for (enum go_code_kind kind = 0; kind < ARRAY_SIZE(names); kind++)
		if (is_name(name, left, names[kind]))
			return kind;
	return GO_NR_CODES;
}

bool go_code_needs_flags(void)
{
	return false;
}

bool go_code_is_told(const char *name, size_t left, uint8_t flags)
{
	(void)name, (void)left, (void)flags;
	return true;
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
	case GO_RACECALL:
		return read_racecall(&codes[kind], stretches);
	case GO_MORESTACK:
		return read_morestack(&codes[kind], &codes[GO_SYSTEMSTACK], stretches);
	default:
		return false;
	}
}
