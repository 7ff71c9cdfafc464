// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/go_frames.h"

#include <errno.h>

#include "record/cfi/unwind_table.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/made_go_table.h"
#include "tests/unit/suite.h"

static struct unwind_table table;

static void end(void)
{
	unwind_table_deinit(&table);
}

/* Builds the table of the file at @fd, which it closes. */
static int build_file(int fd)
{
	int ret;

	unwind_table_deinit(&table);
	ret = unwind_table_build(fd, &table);
	close(fd);
	return ret;
}

static int build_bytes(const uint8_t *bytes, size_t len)
{
	return build_file(make_elf(&(struct test_elf){.name = ".gopclntab"}, bytes, len));
}

/* A table that is built must be good where it is read again. */
static void check_read(void)
{
	struct unwind_table again;
	int fd = memfd_create("table", MFD_CLOEXEC);

	ck_assert_int_eq(unwind_table_write(fd, &table), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_int_eq(unwind_table_read(fd, &again), 0);
	unwind_table_deinit(&again);
	close(fd);
}

static int build(const struct layout *l, const struct spec *specs, size_t nr, uint32_t last)
{
	frames f = make_table(l, specs, nr, last);
	int ret = build_bytes(f.data, f.nr);

	vec_free(&f);
	if (!ret)
		check_read();
	return ret;
}

static const struct unwind_rule *rule_at(uint32_t off)
{
	return unwind_table_find(&table, CODE_OFF + off);
}

/*
 * The caller's frame is @n bytes above the stack pointer, and its frame pointer is there or kept.
 */
static void check_by_sp(uint32_t off, int n, enum unwind_saved fp)
{
	const struct unwind_rule *rule = rule_at(off);

	ck_assert_int_eq(rule->cfa, UNWIND_CFA_REG);
	ck_assert_int_eq(rule->cfa_reg, UNWIND_REG_SP);
	ck_assert_int_eq(rule->cfa_off, n);
	ck_assert_int_eq(rule->ra, UNWIND_RA_CFA);
	ck_assert_int_eq(rule->fp, fp);
	ck_assert_int_eq(rule->fp_off, fp == UNWIND_SAVED_CFA ? -16 : 0);
	ck_assert_int_eq(rule->kept, UNWIND_SAVED_LOST);
}

static void check_by_fp(uint32_t off)
{
	const struct unwind_rule *rule = rule_at(off);

	ck_assert_int_eq(rule->cfa, UNWIND_CFA_OTHER_STACK);
	ck_assert_int_eq(rule->cfa_reg, UNWIND_REG_FP);
	ck_assert_int_eq(rule->cfa_off, 16);
	ck_assert_int_eq(rule->fp, UNWIND_SAVED_CFA);
}

#define FRAMED   PROGRAM(2, 10, 48, 20, 47, 2) /* 24 from 10 to 30 */
#define ONE_MORE PROGRAM(2, 1, 16, 7, 48, 20, 47, 4, 15, 1, 0)

START_TEST(plain)
{
	const struct spec specs[] = {
		{0, "main.leaf", 0, LEAF},
		{0x40, "main.framed", 0, FRAMED},
		{0x60, "main.pushed", 0, ONE_MORE},
		{0x90, "main.unknown", 0, NULL, 0},
	};

	ck_assert_int_eq(build(&layouts[_i], specs, 4, 0x100), 0);
	check_by_sp(0, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x3f, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x49, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x4a, 32, UNWIND_SAVED_SAME);
	check_by_sp(0x4b, 32, UNWIND_SAVED_CFA);
	check_by_sp(0x5d, 32, UNWIND_SAVED_CFA);
	check_by_sp(0x5e, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x61, 16, UNWIND_SAVED_SAME);
	check_by_sp(0x62, 16, UNWIND_SAVED_CFA);
	check_by_sp(0x68, 40, UNWIND_SAVED_CFA);
	check_by_sp(0x7c, 16, UNWIND_SAVED_CFA);
	check_by_sp(0x80, 8, UNWIND_SAVED_SAME);
	/* Behind the program nothing is known; without a program another section may tell. */
	ck_assert_int_eq(rule_at(0x81)->cfa, UNWIND_CFA_UNSUPPORTED);
	ck_assert_int_eq(rule_at(0x90)->cfa, UNWIND_CFA_NONE);
	ck_assert_int_eq(rule_at(0x100)->cfa, UNWIND_CFA_NONE);
}
END_TEST

/* From Go 1.26 on, the module tells the start of the code, if it is that of the table. */
START_TEST(starts_in_modules)
{
	static const struct {
		struct go_module module;
		bool is_known;
	} cases[] = {
		{{.first = TEXT + 0x10, .text = TEXT}, true},
		{{.first = TEXT + 0x10, .text = TEXT, .size = MODULE_1_27_BYTES}, true},
		{{.first = TEXT + 0x10, .text = TEXT, .is_relocated = true}, true},
		{{.first = TEXT + 0x10, .text = TEXT, .size = GO_MODULE_TEXT_OFF + 8}, true},
		{{.first = TEXT + 0x10, .text = TEXT, .size = GO_MODULE_TEXT_OFF + 7}, false},
		{{.first = TEXT, .text = TEXT}, false},
		{{.first = TEXT, .text = TEXT, .is_relocated = true}, false},
		{{.first = TEXT + 0x10, .text = 0}, false},
	};
	const struct spec spec = {0x10, "main.leaf", 0, LEAF};
	frames f = make_table(NEWEST, &spec, 1, 0x50);

	memset(f.data + GO_TEXT_START_OFF, 0, 8);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = build_file(make_go_elf(f.data, f.nr, &cases[i].module));

		ck_assert_int_eq(ret, cases[i].is_known ? 0 : -ENODATA);
		if (cases[i].is_known)
			check_by_sp(0x10, 8, UNWIND_SAVED_SAME);
	}
	vec_free(&f);
}
END_TEST

/*
 * C that Go's own linker has linked: the table has its functions, and nothing tells their frames.
 */
START_TEST(functions_without_programs)
{
	/* push %rbx; xor %eax, %eax; pop %rbx; ret */
	static const uint8_t code[] = {0x53, 0x31, 0xc0, 0x5b, 0xc3};
	const struct spec specs[] = {{0, "from_c", 0, NULL, 0}, {0x40, "main.leaf", 0, LEAF}};
	frames f = make_table(NEWEST, specs, 2, 0x80);
	int fd = make_elf(&(struct test_elf){.name = ".gopclntab"}, f.data, f.nr);

	ck_assert_int_eq(pwrite(fd, code, sizeof(code), CODE_OFF), sizeof(code));
	ck_assert_int_eq(build_file(fd), 0);
	check_read();
	ck_assert_int_eq(rule_at(0)->cfa, UNWIND_CFA_REG);
	ck_assert_int_eq(rule_at(0)->cfa_off, 8);
	ck_assert_int_eq(rule_at(1)->cfa_off, 16);
	ck_assert_int_eq(rule_at(3)->cfa_off, 16);
	ck_assert_int_eq(rule_at(4)->cfa_off, 8);
	ck_assert_int_eq(rule_at(5)->cfa, UNWIND_CFA_NONE);
	check_by_sp(0x40, 8, UNWIND_SAVED_SAME);
	vec_free(&f);
}
END_TEST

#define PUSHES_LATE PROGRAM(2, 61, 16, 7, 15, 4)
#define PUSHES_BOTH PROGRAM(2, 1, 16, 60, 16, 7, 15, 4)

/*
 * Between prologue and epilogue the frame pointer tells. Where there is no room for both, the
 * epilogue counts for less, and then the prologue alone.
 */
START_TEST(short_functions_of_other_stacks)
{
	const struct spec specs[] = {
		{0, "runtime.a", GO_SETS_STACK, PROGRAM(2, 4, 48, 15, 47, 1)},
		{0x40, "runtime.b", GO_SETS_STACK, PROGRAM(2, 4, 48, 14, 47, 1)},
		{0x80, "runtime.c", GO_SETS_STACK, PROGRAM(2, 4, 48, 5, 47, 1)},
		{0xc0, "runtime.d", GO_SETS_STACK, PROGRAM(2, 4, 48, 30, 16, 30, 63, 1)},
	};

	ck_assert_int_eq(build(NEWEST, specs, 4, 0x120), 0);
	check_by_sp(13, 32, UNWIND_SAVED_SAME);
	check_by_fp(14);
	check_by_sp(15, 32, UNWIND_SAVED_SAME);
	check_by_sp(18, 32, UNWIND_SAVED_SAME);
	check_by_sp(19, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x40 + 13, 32, UNWIND_SAVED_SAME);
	check_by_fp(0x40 + 14);
	check_by_fp(0x40 + 17);
	check_by_sp(0x40 + 18, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x80 + 4, 32, UNWIND_SAVED_SAME);
	check_by_sp(0x80 + 8, 32, UNWIND_SAVED_SAME);
	check_by_sp(0x80 + 9, 8, UNWIND_SAVED_SAME);
	/* A frame that grows has its frame pointer from the beginning on. */
	check_by_fp(0xc0 + 14);
	check_by_fp(0xc0 + 29);
	check_by_sp(0xc0 + 30, 32, UNWIND_SAVED_SAME);
	check_by_fp(0xc0 + 34);
	check_by_fp(0xc0 + 59);
	check_by_sp(0xc0 + 60, 40, UNWIND_SAVED_SAME);
	check_by_sp(0xc0 + 64, 8, UNWIND_SAVED_SAME);
}
END_TEST

START_TEST(ends)
{
	const struct spec specs[] = {
		{0, "runtime.goexit", GO_TOP_FRAME, LEAF},
		{0x40, "runtime.mcall", GO_SETS_STACK, PUSHES_LATE},
		{0xa0, "runtime.mcall", GO_SETS_STACK, PUSHES_BOTH},
		{0x100, "runtime.sigtramp", GO_TOP_FRAME, FRAMED},
		{0x120, "runtime.sigreturn", 0, LEAF},
	};

	ck_assert_int_eq(build(NEWEST, specs, 5, 0x160), 0);
	ck_assert_int_eq(rule_at(0)->ra, UNWIND_RA_UNDEFINED);
	check_by_sp(0x40, 8, UNWIND_SAVED_SAME);
	ck_assert_int_eq(rule_at(0x40 + 61)->ra, UNWIND_RA_UNDEFINED);
	check_by_sp(0xa0 + 2, 16, UNWIND_SAVED_CFA);
	ck_assert_int_eq(rule_at(0xa0 + 61)->ra, UNWIND_RA_UNDEFINED);
	check_by_sp(0x110, 32, UNWIND_SAVED_CFA);
	/* Nothing called it, so it is looked up one byte before. */
	ck_assert_int_eq(rule_at(0x11e)->cfa, UNWIND_CFA_REG);
	ck_assert_int_eq(rule_at(0x11f)->cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(rule_at(0x120)->cfa, UNWIND_CFA_SIGNAL);
}
END_TEST

START_TEST(other_stacks)
{
	const struct spec specs[] = {
		{0, "runtime.systemstack", GO_SETS_STACK, LEAF},
		{0x40, "runtime.nanotime1", GO_SETS_STACK, PROGRAM(2, 4, 48, 40, 47, 1)},
		{0x80, "runtime.sigfwd", GO_SETS_STACK, PROGRAM(2, 20, 16, 13, 15, 1)},
	};

	ck_assert_int_eq(build(NEWEST, specs, 3, 0xc0), 0);
	check_by_sp(0, 8, UNWIND_SAVED_SAME);
	ck_assert_int_eq(rule_at(1)->cfa, UNWIND_CFA_UNSUPPORTED);
	check_by_sp(0x40, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x44, 32, UNWIND_SAVED_SAME);
	check_by_fp(0x4e);
	check_by_fp(0x67);
	check_by_sp(0x68, 32, UNWIND_SAVED_SAME);
	check_by_sp(0x6c, 8, UNWIND_SAVED_SAME);
	check_by_sp(0x80 + 20, 16, UNWIND_SAVED_SAME);
	check_by_fp(0x80 + 23);
	check_by_sp(0x80 + 33, 8, UNWIND_SAVED_SAME);
}
END_TEST

/* Go 1.19, from the call of gosave_systemstack_switch on. */
#define SYSTEMSTACK_SWITCH 0x48, 0x89, 0xdc, 0x48, 0x89, 0xfa, 0x48, 0x8b, 0x3f, 0xff, 0xd7
#define SYSTEMSTACK_BACK                                                                           \
	0x48, 0x8b, 0x58, 0x30, 0x48, 0x8b, 0x83, 0xc0, 0, 0, 0, 0x64, 0x48, 0x89, 0x04, 0x25,     \
		0xf8, 0xff, 0xff, 0xff, 0x48, 0x8b, 0x60, 0x38, 0xc3
#define OF_THREAD     0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff
#define OF_THREAD_PIE 0x48, 0xc7, 0xc1, 0xf8, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x01

#define CODE(...)                                                                                  \
	{                                                                                          \
		.bytes = {__VA_ARGS__}, .size = sizeof((const uint8_t[]){__VA_ARGS__})             \
	}

static const struct go_code systemstacks[] = {
	CODE(0x90, SYSTEMSTACK_SWITCH, OF_THREAD, SYSTEMSTACK_BACK),
	CODE(0x90, SYSTEMSTACK_SWITCH, OF_THREAD_PIE, SYSTEMSTACK_BACK),
};

START_TEST(code_of_systemstack)
{
	for (size_t i = 0; i < 2; i++) {
		struct go_code codes[GO_NR_CODES] = {[GO_SYSTEMSTACK] = systemstacks[i]};
		struct go_stretches s;

		ck_assert(go_code_read(codes, GO_SYSTEMSTACK, &s));
		ck_assert_uint_eq(s.own, 4);
		ck_assert_uint_eq(s.nr, 1);
		ck_assert_uint_eq(s.all[0].start, 4);
		ck_assert_uint_eq(s.own_again, codes[GO_SYSTEMSTACK].size - 1);
		ck_assert_int_eq(s.all[0].rule.cfa, UNWIND_CFA_GO_SWITCH);
		ck_assert_int_eq(s.all[0].rule.cfa_off, -8);
		ck_assert_int_eq(s.all[0].rule.cfa_add, 0x30);
		ck_assert_int_eq(s.all[0].rule.fp_off, 0xc0);
		ck_assert_int_eq(s.all[0].rule.kept_off, 0x38);
		/* Cut short, it is not known. */
		codes[GO_SYSTEMSTACK].size--;
		while (codes[GO_SYSTEMSTACK].size--)
			ck_assert(!go_code_read(codes, GO_SYSTEMSTACK, &s));
	}
}
END_TEST

START_TEST(code_of_morestack)
{
	struct go_code codes[GO_NR_CODES] = {
		[GO_SYSTEMSTACK] = systemstacks[0],
		[GO_MORESTACK] = CODE(0x48, 0x8b, 0x63, 0x38, 0xe8, 1, 2, 3, 4, 0xc3),
	};
	struct go_stretches s;

	ck_assert(go_code_read(codes, GO_MORESTACK, &s));
	ck_assert_uint_eq(s.own, 4);
	ck_assert_uint_eq(s.all[0].start, 4);
	ck_assert_uint_eq(s.all[0].end, 10);
	ck_assert_int_eq(s.all[0].rule.cfa_reg, UNWIND_REG_PC);
	ck_assert_int_eq(s.all[0].rule.kept_off, 0x38);
	codes[GO_SYSTEMSTACK].size = 0;
	ck_assert(!go_code_read(codes, GO_MORESTACK, &s));
}
END_TEST

#define ASMCGOCALL_TAIL                                                                            \
	0x48, 0x8b, 0x7c, 0x24, 0x30, 0x48, 0x8b, 0x77, 0x08, 0x48, 0x2b, 0x74, 0x24, 0x28, 0xc3,  \
		0xff, 0xd0, 0xc3

START_TEST(code_of_asmcgocall)
{
	static const struct go_code forms[] = {
		CODE(0x90, 0x48, 0x8b, 0x66, 0x38, 0xff, 0xd0, ASMCGOCALL_TAIL),
		CODE(0x90, 0x48, 0x8b, 0x66, 0x38, 0xff, 0xd0, 0x48, 0xc7, 0xc1, 0xf8, 0xff, 0xff,
		     0xff, ASMCGOCALL_TAIL),
	};

	for (size_t i = 0; i < 2; i++) {
		struct go_code codes[GO_NR_CODES] = {[GO_ASMCGOCALL] = forms[i]};
		struct go_stretches s;

		ck_assert(go_code_read(codes, GO_ASMCGOCALL, &s));
		ck_assert_uint_eq(s.own, 1);
		ck_assert_uint_eq(s.nr, 2);
		ck_assert_uint_eq(s.all[0].start, 5);
		ck_assert_uint_eq(s.all[1].start, forms[i].size - 3);
		ck_assert_int_eq(s.all[0].rule.cfa, UNWIND_CFA_GO_CALL);
		ck_assert_int_eq(s.all[0].rule.cfa_off, 0x30);
		ck_assert_int_eq(s.all[0].rule.cfa_add, 0x28);
		ck_assert_int_eq(s.all[0].rule.fp_off, 8);
	}
}
END_TEST

START_TEST(programs_that_lie)
{
	const struct spec specs[] = {
		{0, "a", 0, PROGRAM(0, 8)},                         /* below the frame */
		{0x10, "b", 0, PROGRAM(2, 8, 1 << 1 | 1, 8)},       /* no multiple of 8 */
		{0x20, "c", 0, PROGRAM(2, 8, 0x81, 0x80)},          /* cut short by its end */
		{0x30, "d", 0, PROGRAM(2, 8, 16, 0)},               /* no bytes of code */
		{0x40, "e", 0, PROGRAM(2, 0xff, 0xff, 0xff, 0x7f)}, /* beyond the function */
		{0x50, "f", 0, PROGRAM(2, 8, 0xf0, 0xff, 0xff, 0xff, 0xff, 0x3f, 8)},
	};

	ck_assert_int_eq(build(NEWEST, specs, 6, 0x60), 0);
	ck_assert_int_eq(rule_at(0)->cfa, UNWIND_CFA_UNSUPPORTED);
	for (uint32_t off = 0x10; off < 0x60; off += 0x10) {
		check_by_sp(off, 8, UNWIND_SAVED_SAME);
		ck_assert_int_eq(rule_at(off + 8)->cfa,
				 off == 0x40 ? UNWIND_CFA_REG : UNWIND_CFA_UNSUPPORTED);
	}
	ck_assert_int_eq(rule_at(0x60)->cfa, UNWIND_CFA_NONE);
}
END_TEST

/* Any part of a table, and one whose functions are not sorted, builds a good table or none. */
START_TEST(damaged)
{
	const struct spec specs[] = {
		{0x80, "runtime.sigreturn", 0, LEAF},
		{0x40, "runtime.nanotime1", GO_SETS_STACK, FRAMED},
		{0x7f, "main.one", 0, ONE_MORE},
		{0x7f, "main.two", 0, FRAMED},
	};
	frames f = make_table(NEWEST, specs, 4, 0x100);

	for (size_t len = 0; len <= f.nr; len++)
		if (!build_bytes(f.data, len))
			check_read();
	for (size_t i = 0; i < f.nr; i++) {
		f.data[i] ^= 0x55;
		if (!build_bytes(f.data, f.nr))
			check_read();
		f.data[i] ^= 0x55;
	}
	vec_free(&f);
}
END_TEST

static int count_row(void *ctx, uint64_t addr, const struct unwind_rule *rule)
{
	(void)ctx, (void)addr, (void)rule;
	return 0;
}

/* Functions may share a program, so the work is no matter of the file's size alone. */
START_TEST(too_many_steps)
{
	enum { STEPS = 1 << 17 };
	frames program = {0}, f;
	struct go_table go;
	struct go_function function;
	static const struct go_code codes[GO_NR_CODES];
	uint64_t nr_steps = 0;
	int ret = 0;

	put(&program, BYTES(2, 1));
	for (int i = 0; i < STEPS; i++)
		put(&program, i & 1 ? (const uint8_t[]){15, 1} : (const uint8_t[]){16, 1}, 2);
	f = make_table(NEWEST, &(struct spec){0, "main.a", 0, program.data, program.nr}, 1,
		       2 * STEPS);
	ck_assert(go_table_read(f.data, f.nr, 1, &go));
	ck_assert(go_frames_function(&go, 0, &function));
	for (int i = 0; !ret && i < 1 << 10; i++)
		ret = go_frames_run(&go, codes, &function, &nr_steps, count_row, NULL);
	ck_assert_int_eq(ret, -EFBIG);
	vec_free(&program);
	vec_free(&f);
}
END_TEST

START_TEST(code_of_racecall)
{
	/* From the copy of the stack pointer on; between is the call. */
	struct go_code codes[GO_NR_CODES] = {
		[GO_RACECALL] = CODE(0x90, 0x49, 0x89, 0xe4, 0x49, 0x8b, 0x62, 0x38, 0xff, 0xd0,
				     0x4c, 0x89, 0xe4, 0xc3),
	};
	struct go_stretches s;

	ck_assert_int_eq(go_code_kind_of("racecall", 9), GO_RACECALL);
	ck_assert_int_eq(go_code_kind_of("racecall", 8), GO_NR_CODES);
	ck_assert(go_code_read(codes, GO_RACECALL, &s));
	ck_assert_uint_eq(s.own, 4);
	ck_assert_uint_eq(s.nr, 1);
	ck_assert_uint_eq(s.all[0].start, 4);
	ck_assert_uint_eq(s.all[0].end, 13);
	ck_assert_uint_eq(s.own_again, 13);
	ck_assert_int_eq(s.all[0].rule.cfa, UNWIND_CFA_OTHER_STACK);
	ck_assert_int_eq(s.all[0].rule.cfa_reg, UNWIND_R12);
	ck_assert_int_eq(s.all[0].rule.cfa_off, 8);
	ck_assert_int_eq(s.all[0].rule.fp, UNWIND_SAVED_SAME);
	for (codes[GO_RACECALL].size = 13; codes[GO_RACECALL].size--;)
		ck_assert(!go_code_read(codes, GO_RACECALL, &s));
}
END_TEST

SUITE_MAIN_LOOP_WITH("go_frames_x86_64", NULL, end, plain, 3, starts_in_modules,
		     functions_without_programs, ends, other_stacks,
		     short_functions_of_other_stacks, programs_that_lie, damaged, too_many_steps,
		     code_of_systemstack, code_of_morestack, code_of_asmcgocall, code_of_racecall)
