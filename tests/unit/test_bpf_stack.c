// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux before 6.10 refuses a BPF program whose functions together take more than 512 bytes of
 * stack on any chain of calls (check_max_stack_depth in kernel/bpf/verifier.c). Newer kernels round
 * less. So this test adds up as the older ones do, whichever kernel runs it.
 */
#include <bpf/bpf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "bpf/shared.h"
#include "common/vec.h"
#include "profrec.skel.h"
#include "tests/unit/suite.h"

#define STACK_MAX    512 /* MAX_BPF_STACK */
#define STACK_UNIT   32  /* each function takes a multiple of this */
#define CALLS_MAX    8   /* MAX_CALL_FRAMES */
#define STACK_TOP    BPF_REG_10
#define IS_MOVE(c)   ((c) == (BPF_ALU64 | BPF_MOV | BPF_X))
#define IS_ADD(c)    ((c) == (BPF_ALU64 | BPF_ADD | BPF_K))
#define IS_MEMORY(c) (BPF_CLASS(c) == BPF_STX || BPF_CLASS(c) == BPF_ST || BPF_CLASS(c) == BPF_LDX)

struct function {
	const char *name;
	size_t section;
	uint64_t off, size;
	const struct bpf_insn *insns;
	uint32_t stack_bytes;
	VEC(uint32_t) calls;     /* indexes of functions */
	VEC(uint64_t) relocated; /* indexes of instructions */
};
typedef VEC(struct function) function_vec;

static function_vec functions;
static Elf *elf;

/* The function at the byte @off of the section @section. */
static uint32_t function_at(size_t section, uint64_t off)
{
	for (size_t i = 0; i < functions.nr; i++)
		if (functions.data[i].section == section && functions.data[i].off == off)
			return (uint32_t)i;
	ck_abort_msg("no function begins at byte %llu of section %zu", (unsigned long long)off,
		     section);
}

/* The bytes of stack that the instructions of @f use themselves. */
static uint32_t own_stack(const struct function *f)
{
	bool is_top[MAX_BPF_REG] = {[STACK_TOP] = true};
	int lowest = 0;

	for (uint64_t i = 0; i < f->size / sizeof(*f->insns); i++) {
		const struct bpf_insn *insn = &f->insns[i];
		int base = BPF_CLASS(insn->code) == BPF_LDX ? insn->src_reg : insn->dst_reg;

		if (IS_MEMORY(insn->code) && base == STACK_TOP && insn->off < lowest)
			lowest = insn->off;
		if (IS_ADD(insn->code) && is_top[insn->dst_reg] && insn->imm < lowest)
			lowest = insn->imm;
		if (BPF_CLASS(insn->code) == BPF_ALU64 || BPF_CLASS(insn->code) == BPF_LDX)
			is_top[insn->dst_reg] = IS_MOVE(insn->code) && insn->src_reg == STACK_TOP;
	}
	return ((uint32_t)-lowest + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT;
}

static void find_bpf_functions(Elf_Data *symbols, size_t nr, size_t strings)
{
	GElf_Sym sym;

	for (size_t i = 0; i < nr; i++) {
		ck_assert_ptr_nonnull(gelf_getsym(symbols, (int)i, &sym));
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		Elf_Data *code = elf_getdata(elf_getscn(elf, sym.st_shndx), NULL);
		struct function f = {
			.name = elf_strptr(elf, strings, sym.st_name),
			.section = sym.st_shndx,
			.off = sym.st_value,
			.size = sym.st_size,
			.insns = (const void *)((const char *)code->d_buf + sym.st_value),
		};

		f.stack_bytes = own_stack(&f);
		ck_assert_int_eq(vec_push(&functions, f), 0);
	}
}

/* The function of @section that has the byte @off, or NULL. */
static struct function *function_around(size_t section, uint64_t off)
{
	for (size_t i = 0; i < functions.nr; i++)
		if (functions.data[i].section == section && off >= functions.data[i].off &&
		    off - functions.data[i].off < functions.data[i].size)
			return &functions.data[i];
	return NULL;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

/* A call may have a relocation, and a function's address that a helper gets has one. */
static void find_calls(size_t section, Elf_Data *relocations, size_t nr, Elf_Data *symbols)
{
	for (size_t i = 0; i < nr; i++) {
		GElf_Rel rel;
		GElf_Sym sym;
		GElf_Shdr target;
		struct function *f;
		const struct bpf_insn *insn;
		int64_t imm;

		ck_assert_ptr_nonnull(gelf_getrel(relocations, (int)i, &rel));
		ck_assert_ptr_nonnull(gelf_getsym(symbols, (int)GELF_R_SYM(rel.r_info), &sym));
		f = function_around(section, rel.r_offset);
		if (!f || !gelf_getshdr(elf_getscn(elf, sym.st_shndx), &target) ||
		    !(target.sh_flags & SHF_EXECINSTR))
			continue;
		insn = f->insns + (rel.r_offset - f->off) / sizeof(*insn);
		ck_assert_int_eq(vec_push(&f->relocated, insn - f->insns), 0);
		imm = is_call(insn) ? (insn->imm + 1) * (int64_t)sizeof(*insn) : insn->imm;
		ck_assert_int_eq(vec_push(&f->calls, function_at(sym.st_shndx, sym.st_value + imm)),
				 0);
	}
}

static bool is_relocated(const struct function *f, uint64_t at)
{
	vec_for_each(&f->relocated, other)
		if (*other == at)
			return true;
	return false;
}

/* The compiler itself resolves calls of static functions in the same section. */
static void find_resolved_calls(struct function *f)
{
	for (uint64_t i = 0; i < f->size / sizeof(*f->insns); i++) {
		const struct bpf_insn *insn = &f->insns[i];
		uint64_t to = f->off + (i + 1 + insn->imm) * sizeof(*insn);

		if (is_call(insn) && !is_relocated(f, i))
			ck_assert_int_eq(vec_push(&f->calls, function_at(f->section, to)), 0);
	}
}

/* Opens the programs as profrec has them, and finds their functions and calls. */
static void begin(void)
{
	Elf_Data *symbols = NULL;
	GElf_Shdr header;
	size_t bytes, section;
	char *image;

	elf_version(EV_CURRENT);
	image = (char *)profrec_bpf__elf_bytes(&bytes);
	elf = elf_memory(image, bytes);
	ck_assert_ptr_nonnull(elf);
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		ck_assert_ptr_nonnull(gelf_getshdr(s, &header));
		if (header.sh_type != SHT_SYMTAB)
			continue;
		symbols = elf_getdata(s, NULL);
		find_bpf_functions(symbols, header.sh_size / header.sh_entsize, header.sh_link);
	}
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		ck_assert_ptr_nonnull(gelf_getshdr(s, &header));
		section = header.sh_info;
		if (header.sh_type == SHT_REL)
			find_calls(section, elf_getdata(s, NULL),
				   header.sh_size / header.sh_entsize, symbols);
	}
	vec_for_each(&functions, f)
		find_resolved_calls(f);
}

static void end(void)
{
	vec_for_each(&functions, f) {
		vec_free(&f->calls);
		vec_free(&f->relocated);
	}
	vec_free(&functions);
	elf_end(elf);
}

/* The bytes that @f takes with all that it calls. @depth: the calls that led to it. */
static uint32_t whole_stack(const struct function *f, uint32_t depth)
{
	uint32_t most = 0;

	ck_assert_msg(depth < CALLS_MAX, "%s: the %uth call in another", f->name, depth);
	for (size_t i = 0; i < f->calls.nr; i++) {
		uint32_t callee = whole_stack(&functions.data[f->calls.data[i]], depth + 1);

		most = callee > most ? callee : most;
	}
	return f->stack_bytes + most;
}

/* Writes the chain of calls that takes most: "take_sample 64, walk 128, ...". */
static void describe_chain(const struct function *f, char *to, size_t size)
{
	int len = snprintf(to, size, "%s %u", f->name, f->stack_bytes);
	const struct function *next = NULL;

	for (size_t i = 0; i < f->calls.nr; i++) {
		const struct function *callee = &functions.data[f->calls.data[i]];

		if (!next || whole_stack(callee, 0) > whole_stack(next, 0))
			next = callee;
	}
	if (!next || (size_t)len + 2 >= size)
		return;
	memcpy(to + len, ", ", 2);
	describe_chain(next, to + len + 2, size - len - 2);
}

START_TEST(every_call_is_known)
{
	for (size_t i = 0; i < functions.nr; i++) {
		const struct function *f = &functions.data[i];
		size_t nr = 0;

		for (uint64_t k = 0; k < f->size / sizeof(*f->insns); k++)
			nr += is_call(&f->insns[k]);
		ck_assert_msg(nr <= f->calls.nr, "%s: %zu calls, %zu known", f->name, nr,
			      f->calls.nr);
	}
}
END_TEST

START_TEST(fits_older_kernels)
{
	uint32_t most = 0;
	char chain[512];

	for (size_t i = 0; i < functions.nr; i++) {
		uint32_t bytes = whole_stack(&functions.data[i], 0);

		describe_chain(&functions.data[i], chain, sizeof(chain));
		ck_assert_msg(bytes <= STACK_MAX, "%u bytes of stack: %s", bytes, chain);
		most = bytes > most ? bytes : most;
	}
	/* The walk of a stack needs more than the unit of a function. */
	ck_assert_uint_gt(most, STACK_UNIT);
}
END_TEST

SUITE_MAIN_WITH("bpf_stack", begin, end, every_call_is_known, fits_older_kernels)
