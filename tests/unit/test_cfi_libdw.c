// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the tables of real files with libdw, which reads the same sections. For each row of
 * libdw, a step by the table must find the same CFA, return address, frame pointer and kept
 * register as the expressions of libdw. Both see the same invented registers and memory.
 *
 * Of large files only some functions are compared, unless PROFREC_COMPARE_ALL is set. Set
 * CK_FORK=no then, since all functions take longer than a test may. PROFREC_COMPARE_ROOT is a
 * directory in place of /.
 */
#if __has_include(<elfutils/libdw.h>)

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <inttypes.h>

#include "bpf/walk/unwind_step.h"
#include "common/vec.h"
#include "record/cfi/code_frames.h"
#include "record/cfi/unwind_table.h"
#include "tests/unit/suite.h"

#ifdef BPF_HOST_ARCH_AARCH64_H
#define LOADER    "/lib/ld-linux-aarch64.so.1"
#define MULTIARCH "aarch64-linux-gnu"
#else
#define LOADER    "/lib64/ld-linux-x86-64.so.2"
#define MULTIARCH "x86_64-linux-gnu"
#endif

/* Functions compared of each file. The dynamic linker and libc have fewer. */
#define FUNCTIONS_MAX 4000

struct function {
	uint64_t start, end;
};

struct compared {
	const char *path;
	struct unwind_table table;
	Elf *elf;
	Dwarf_CFI *cfi;
	GElf_Phdr code;
	VEC(struct function) functions;
	size_t rows, unsupported, lost;
};

/* The file offset of the code at @addr; files have one segment of it. */
static uint64_t to_off(const struct compared *c, uint64_t addr)
{
	return addr - c->code.p_vaddr + c->code.p_offset;
}

static struct unwind_frame frame;

/* The contents of memory at any address. */
static uint64_t memory(uint64_t addr)
{
	return ((addr * UINT64_C(0x9e3779b97f4a7c15)) >> 8 & ~UINT64_C(7)) | UINT64_C(1) << 60;
}

static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr)
{
	(void)f;
	for (__u32 i = 0; i < size; i += 8) {
		uint64_t word = memory(addr + i);

		memcpy((char *)dst + i, &word, size - i < 8 ? size - i : 8);
	}
	return 0;
}

/* The smallest register is the stack pointer, since a walk goes up. */
static void make_frame(uint64_t pc)
{
	frame = (struct unwind_frame){.pc = pc, .sp = 0x10000000, .has_regs = 1};
	for (unsigned int i = 0; i < UNWIND_NR_REGS; i++)
		frame.regs[i] = UINT64_C(0x100000000) * (i + 1) + 8 * i;
	frame.regs[UNWIND_REG_SP] = frame.sp;
	frame.regs[UNWIND_REG_PC] = pc;
}

static uint64_t reg_of(const struct unwind_frame *f, uint64_t reg)
{
	ck_assert_uint_lt(reg, UNWIND_NR_REGS);
	return f->regs[reg];
}

/* The result of an expression of libdw. */
struct place {
	enum { AT_ADDRESS, IN_REGISTER, IS_VALUE } how;
	uint64_t value;
};

/* @a and @b, which was pushed last. */
static uint64_t compute(uint8_t atom, uint64_t a, uint64_t b)
{
	switch (atom) {
	case DW_OP_plus:
		return a + b;
	case DW_OP_and:
		return a & b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_shl:
		return a << b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	}
	ck_abort_msg("operation %#x", atom);
}

static struct place evaluate(const struct unwind_frame *f, const Dwarf_Op *ops, size_t nr,
			     uint64_t cfa)
{
	struct place place = {.how = AT_ADDRESS};
	uint64_t stack[16];
	unsigned int n = 0;

	for (size_t i = 0; i < nr; i++) {
		const Dwarf_Op *op = &ops[i];

		ck_assert_uint_lt(n, 15);
		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
			stack[n++] = reg_of(f, op->atom - DW_OP_breg0) + op->number;
			continue;
		}
		if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
			stack[n++] = op->atom - DW_OP_lit0;
			continue;
		}
		switch (op->atom) {
		case DW_OP_bregx:
			stack[n++] = reg_of(f, op->number) + op->number2;
			break;
		case DW_OP_call_frame_cfa:
			stack[n++] = cfa;
			break;
		case DW_OP_plus_uconst:
			stack[n - 1] += op->number;
			break;
		case DW_OP_deref:
			stack[n - 1] = memory(stack[n - 1]);
			break;
		case DW_OP_stack_value:
			place.how = IS_VALUE;
			break;
		case DW_OP_regx:
			place.how = IN_REGISTER;
			stack[n++] = op->number;
			break;
		default:
			ck_assert_uint_ge(n, 2);
			n--;
			stack[n - 1] = compute(op->atom, stack[n - 1], stack[n]);
		}
	}
	ck_assert_uint_gt(n, 0);
	place.value = stack[n - 1];
	return place;
}

/* The rule of libdw for a register. */
struct saved {
	enum { SAVED_PLACE, SAVED_SAME, SAVED_UNDEFINED } how;
	struct place place;
	size_t nr_ops;
};

static struct saved saved_of(Dwarf_Frame *dw, unsigned int reg, uint64_t cfa)
{
	struct saved saved = {.how = SAVED_PLACE};
	Dwarf_Op buf[3], *ops;

	ck_assert_int_eq(dwarf_frame_register(dw, reg, buf, &ops, &saved.nr_ops), 0);
	if (saved.nr_ops)
		saved.place = evaluate(&frame, ops, saved.nr_ops, cfa);
	else
		saved.how = ops ? SAVED_UNDEFINED : SAVED_SAME;
	return saved;
}

/*
 * Among the registers that the ABI of x86-64 preserves, libdw takes rax for rbx
 * (backends/x86_64_cfi.c has 0 for 3). So an rbx without a rule is undefined for libdw. No rule of
 * these files says undefined, but for the return address where a stack ends.
 */
static struct saved saved_kept(Dwarf_Frame *dw, uint64_t cfa)
{
	struct saved saved = saved_of(dw, UNWIND_REG_KEPT, cfa);

	if (saved.how == SAVED_UNDEFINED)
		saved.how = SAVED_SAME;
	return saved;
}

static void compare_saved(struct compared *c, struct saved dw, uint64_t at, bool is_lost)
{
	switch (dw.how) {
	case SAVED_SAME:
		ck_assert(!is_lost && !at);
		break;
	case SAVED_UNDEFINED:
		ck_assert(is_lost);
		break;
	case SAVED_PLACE:
		/* No table holds a place in a register, or the result of a longer expression. */
		if (dw.place.how != AT_ADDRESS || dw.nr_ops > 2) {
			ck_assert(is_lost);
			c->lost++;
			break;
		}
		ck_assert(!is_lost);
		ck_assert_uint_eq(at, dw.place.value);
	}
}

static void compare_return(struct saved dw, const struct unwind_rule *rule,
			   const struct unwind_frame *next, enum stack_end end)
{
	switch (dw.how) {
	case SAVED_UNDEFINED:
		ck_assert_int_eq(rule->ra, UNWIND_RA_UNDEFINED);
		ck_assert_int_eq(end, STACK_END_ROOT);
		break;
	case SAVED_SAME:
		if (RETURN_AT_ENTRY == UNWIND_RA_KEPT)
			ck_assert_uint_eq(next->pc, reg_of(&frame, UNWIND_REG_RETURN));
		else
			ck_assert_int_eq(rule->ra, UNWIND_RA_UNSUPPORTED);
		break;
	case SAVED_PLACE:
		ck_assert_int_eq(end, STACK_GOES_ON);
		ck_assert_uint_eq(next->pc, PLAIN_RETURN(dw.place.how == IN_REGISTER
								 ? reg_of(&frame, dw.place.value)
								 : memory(dw.place.value)));
	}
}

/* A table does not support frames whose caller has another stack pointer than the CFA. */
static bool is_unsupported(struct saved sp, uint64_t cfa)
{
	return sp.how != SAVED_PLACE || sp.place.how != IS_VALUE || sp.place.value != cfa;
}

static void compare_at(struct compared *c, uint64_t addr, Dwarf_Frame *dw, bool is_signal)
{
	const struct unwind_rule *rule = unwind_table_find(&c->table, to_off(c, addr));
	struct unwind_frame next;
	enum stack_end end;
	struct saved ra;
	uint64_t cfa;
	Dwarf_Op *ops;
	size_t nr;

	c->rows++;
	if (is_signal) {
		ck_assert_int_eq(rule->cfa, UNWIND_CFA_SIGNAL);
		return;
	}
	make_frame(addr);
	ck_assert_int_eq(dwarf_frame_cfa(dw, &ops, &nr), 0);
	cfa = evaluate(&frame, ops, nr, 0).value;
	if (rule->cfa == UNWIND_CFA_UNSUPPORTED) {
		ck_assert(is_unsupported(saved_of(dw, UNWIND_REG_SP, cfa), cfa));
		c->unsupported++;
		return;
	}
	next = frame;
	end = unwind_step(&next, rule);
	/* In the loader of arm64, a rule of one instruction forgets that the frame is gone. */
	if (cfa < frame.sp) {
		ck_assert_int_eq(end, STACK_END_UNREADABLE);
		c->unsupported++;
		return;
	}
	ra = saved_of(dw, UNWIND_REG_RETURN, cfa);
	compare_return(ra, rule, &next, end);
	if (end != STACK_GOES_ON)
		return;
	ck_assert_uint_eq(next.sp, cfa);
	compare_saved(c, saved_of(dw, UNWIND_REG_FP, cfa), next.fp_at,
		      next.lost & 1u << UNWIND_REG_FP);
	compare_saved(c, saved_kept(dw, cfa), next.kept_at, next.lost & 1u << UNWIND_REG_KEPT);
}

/* Compares at the first and the last byte and in the middle of each row of libdw. */
static void compare_function(struct compared *c, const struct function *function)
{
	uint64_t addr = function->start;

	while (addr < function->end) {
		Dwarf_Addr start, end;
		Dwarf_Frame *dw;
		bool is_signal;

		ck_assert_msg(!dwarf_cfi_addrframe(c->cfi, addr, &dw), "%s, %#" PRIx64 ": %s",
			      c->path, addr, dwarf_errmsg(-1));
		ck_assert_int_eq(dwarf_frame_info(dw, &start, &end, &is_signal), UNWIND_REG_RETURN);
		if (end > function->end)
			end = function->end;
		compare_at(c, addr, dw, is_signal);
		compare_at(c, addr + (end - addr) / 2, dw, is_signal);
		compare_at(c, end - 1, dw, is_signal);
		free(dw);
		addr = end;
	}
}

static int compare_starts(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Reads all FDEs by libdw. Their addresses are pcrel sdata4 in these files. */
static void read_functions(struct compared *c, Elf_Data *data, uint64_t vaddr)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(c->elf, NULL);
	Dwarf_Off off = 0, next;
	Dwarf_CFI_Entry entry;
	int ret;

	for (;; off = next) {
		struct function function;
		int32_t pcrel;
		uint32_t size;

		ret = dwarf_next_cfi(ident, data, true, off, &next, &entry);
		if (ret > 0 || next == (Dwarf_Off)-1)
			break;
		if (ret < 0 || dwarf_cfi_cie_p(&entry))
			continue;
		memcpy(&pcrel, entry.fde.start, sizeof(pcrel));
		memcpy(&size, entry.fde.start + sizeof(pcrel), sizeof(size));
		function.start = vaddr + (entry.fde.start - (uint8_t *)data->d_buf) + pcrel;
		function.end = function.start + size;
		ck_assert_int_eq(vec_push(&c->functions, function), 0);
	}
	ck_assert_uint_gt(c->functions.nr, 0);
	qsort(c->functions.data, c->functions.nr, sizeof(struct function), compare_starts);
}

static void find_frames(struct compared *c)
{
	GElf_Shdr shdr;
	size_t names;

	ck_assert_int_eq(elf_getshdrstrndx(c->elf, &names), 0);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(c->elf, scn));) {
		ck_assert_ptr_nonnull(gelf_getshdr(scn, &shdr));
		if (!strcmp(elf_strptr(c->elf, names, shdr.sh_name), ".eh_frame"))
			read_functions(c, elf_getdata(scn, NULL), shdr.sh_addr);
	}
}

static void find_code(struct compared *c)
{
	size_t nr, found = 0;
	GElf_Phdr phdr;

	ck_assert_int_eq(elf_getphdrnum(c->elf, &nr), 0);
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(c->elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X))
			continue;
		c->code = phdr;
		found++;
	}
	ck_assert_uint_eq(found, 1);
}

static const struct unwind_rule *rule_at(const struct compared *c, uint64_t addr)
{
	return unwind_table_find(&c->table, to_off(c, addr));
}

/* No rule, or the rule of an entry. */
static bool says_nothing(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_CFA_NONE || rule->ra == UNWIND_RA_UNDEFINED;
}

/*
 * Between functions: a system call at the end of a function of libc, and the byte after it, belong
 * to the function. Stacks end at the entry of a file. Where calls are found in code,
 * what is no mere padding has rules by its own.
 */
static void compare_gap(const struct compared *c, uint64_t start, uint64_t end)
{
	const struct unwind_rule *rule = rule_at(c, start);

	if (code_insn_bytes() && end - start >= CODE_GAP_BYTES)
		return;
	if (!says_nothing(rule)) {
		ck_assert_ptr_eq(rule, rule_at(c, start - 1));
		ck_assert(rule->cfa == UNWIND_CFA_SIGNAL ||
			  rule_at(c, end)->ra == UNWIND_RA_UNDEFINED);
		start += 3;
	}
	if (start >= end)
		return;
	ck_assert(says_nothing(rule_at(c, start)));
	ck_assert(says_nothing(rule_at(c, start + (end - start) / 2)));
	ck_assert(says_nothing(rule_at(c, end - 1)));
}

static void compare_all(struct compared *c)
{
	size_t step = getenv("PROFREC_COMPARE_ALL") ? 1 : c->functions.nr / FUNCTIONS_MAX + 1;

	for (size_t i = 0; i < c->functions.nr; i++) {
		const struct function *function = &c->functions.data[i];

		if (i && function->start > function[-1].end)
			compare_gap(c, function[-1].end, function->start);
		if (i % step == 0)
			compare_function(c, function);
	}
}

static void compare_file(const char *path)
{
	struct compared c = {.path = path};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_msg(fd >= 0, "%s", path);
	elf_version(EV_CURRENT);
	c.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	c.cfi = dwarf_getcfi_elf(c.elf);
	ck_assert_ptr_nonnull(c.cfi);
	ck_assert_int_eq(unwind_table_build(fd, &c.table), 0);
	find_code(&c);
	find_frames(&c);
	compare_all(&c);
	fprintf(stderr, "%s: %zu functions, %zu places compared, %zu unsupported, %zu lost\n", path,
		c.functions.nr, c.rows, c.unsupported, c.lost);
	vec_free(&c.functions);
	unwind_table_deinit(&c.table);
	dwarf_cfi_end(c.cfi);
	elf_end(c.elf);
	close(fd);
}

/* The first file that matches @pattern, if there is any. */
static void compare_pattern(const char *pattern)
{
	const char *root = getenv("PROFREC_COMPARE_ROOT");
	char path[512];
	glob_t found;

	snprintf(path, sizeof(path), "%s%s", root ? root : "", pattern);
	if (!glob(path, 0, NULL, &found))
		compare_file(found.gl_pathv[0]);
	globfree(&found);
}

START_TEST(dynamic_linker)
{
	compare_pattern(LOADER);
}
END_TEST

START_TEST(libc)
{
	compare_pattern("/lib/" MULTIARCH "/libc.so.6");
}
END_TEST

START_TEST(libcrypto)
{
	compare_pattern("/usr/lib/" MULTIARCH "/libcrypto.so.3");
}
END_TEST

START_TEST(libllvm)
{
	compare_pattern("/usr/lib/" MULTIARCH "/libLLVM-*.so.1");
}
END_TEST

START_TEST(libstdcxx)
{
	compare_pattern("/usr/lib/" MULTIARCH "/libstdc++.so.6");
}
END_TEST

START_TEST(libnode)
{
	compare_pattern("/usr/lib/" MULTIARCH "/libnode.so.*");
}
END_TEST

START_TEST(compiler)
{
	compare_pattern("/usr/lib/gcc/" MULTIARCH "/*/cc1");
}
END_TEST

SUITE_MAIN("cfi_libdw", dynamic_linker, libc, libcrypto, libllvm, libstdcxx, libnode, compiler)

#else

#include "tests/unit/skip.h"

int main(void)
{
	return skip_all("cfi_libdw", "needs libdw-dev");
}

#endif
