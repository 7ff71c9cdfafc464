// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for code of Go on arm64. The instructions are those of programs of Go 1.19 and 1.24. */
#include "record/cfi/go_frames.h"

#include "record/cfi/unwind_table.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/made_go_table.h"
#include "tests/unit/suite.h"

static struct unwind_table table;

static void end(void)
{
	unwind_table_deinit(&table);
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

/* Builds the table of a file with these functions, whose code is @code of @nr instructions. */
static void build(const struct spec *specs, size_t nr_specs, uint32_t last, const uint32_t *code,
		  size_t nr)
{
	frames f = make_table(NEWEST, specs, nr_specs, last);
	int fd = make_elf(&(struct test_elf){.name = ".gopclntab"}, f.data, f.nr);
	const Elf64_Half machine = EM_AARCH64;

	ck_assert_int_eq(pwrite(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)),
			 sizeof(machine));
	ck_assert_int_eq(pwrite(fd, code, nr * sizeof(*code), CODE_OFF), nr * sizeof(*code));
	unwind_table_deinit(&table);
	ck_assert_int_eq(unwind_table_build(fd, &table), 0);
	close(fd);
	vec_free(&f);
	check_read();
}

static const struct unwind_rule *rule_at(uint32_t off)
{
	return unwind_table_find(&table, CODE_OFF + off);
}

/* The caller's frame is @cfa bytes above sp. x30 is @kept bytes below that; 0: in the register. */
static void check_by_sp(uint32_t off, int cfa, int kept, enum unwind_saved fp)
{
	const struct unwind_rule *rule = rule_at(off);

	ck_assert_msg(rule->cfa == UNWIND_CFA_REG && rule->cfa_reg == UNWIND_REG_SP, "%x", off);
	ck_assert_msg(rule->cfa_off == cfa, "%x: %d", off, rule->cfa_off);
	ck_assert_int_eq(rule->ra, UNWIND_RA_KEPT);
	ck_assert_int_eq(rule->kept, kept ? UNWIND_SAVED_CFA : UNWIND_SAVED_SAME);
	ck_assert_msg(rule->kept_off == -kept, "%x: %d", off, rule->kept_off);
	ck_assert_msg(rule->fp == fp, "%x: %d", off, rule->fp);
	ck_assert_int_eq(rule->fp_off, fp == UNWIND_SAVED_CFA ? -kept - 8 : 0);
}

static void check_by_fp(uint32_t off, int frame)
{
	const struct unwind_rule *rule = rule_at(off);

	ck_assert_int_eq(rule->cfa, UNWIND_CFA_OTHER_STACK);
	ck_assert_int_eq(rule->cfa_reg, UNWIND_REG_FP);
	ck_assert_int_eq(rule->cfa_off, frame + 8);
	ck_assert_int_eq(rule->kept_off, -frame);
	ck_assert_int_eq(rule->fp_off, -frame - 8);
}

#define SAME  UNWIND_SAVED_SAME
#define SAVED UNWIND_SAVED_CFA

/* 48 bytes, after one instruction, for 10; and for 10 instructions of these 64 */
#define FRAMED PROGRAM(2, 1, 96, 10, 95, 2)
#define GROWN  PROGRAM(2, 1, 96, 10, 32, 10, 31, 2, 95, 1)
#define SHRUNK PROGRAM(2, 1, 96, 10, 31, 10, 63, 1)

START_TEST(plain)
{
	const struct spec specs[] = {
		{0, "main.leaf", 0, LEAF},
		{0x100, "main.framed", 0, FRAMED},
		{0x140, "main.grown", 0, GROWN},
		{0x1c0, "main.shrunk", 0, SHRUNK},
		{0x220, "runtime.goexit", GO_TOP_FRAME | GO_ASSEMBLER, LEAF},
		{0x320, "runtime.sigtramp", GO_TOP_FRAME, FRAMED},
	};

	build(specs, 6, 0x360, NULL, 0);
	check_by_sp(0, 0, 0, SAME);
	check_by_sp(0xff, 0, 0, SAME);
	check_by_sp(0x103, 0, 0, SAME);
	check_by_sp(0x104, 48, 48, SAME);
	check_by_sp(0x108, 48, 48, SAVED);
	check_by_sp(0x12b, 48, 48, SAVED);
	check_by_sp(0x12c, 0, 0, SAME);
	ck_assert_int_eq(rule_at(0x134)->cfa, UNWIND_CFA_UNSUPPORTED);
	/* x30 stays where it is, unless sp leaves it behind. */
	check_by_sp(0x140 + 0x2c, 64, 48, SAVED);
	check_by_sp(0x140 + 0x54, 48, 48, SAVED);
	ck_assert_int_eq(rule_at(0x1c0 + 0x2c)->cfa, UNWIND_CFA_UNSUPPORTED);
	ck_assert_int_eq(rule_at(0x220)->ra, UNWIND_RA_UNDEFINED);
	check_by_sp(0x320 + 8, 48, 48, SAVED);
}
END_TEST

/* The goroutine's own x30 is above the frame. */
START_TEST(injected)
{
	const struct spec specs[] = {
		{0, "runtime.asyncPreempt", GO_ASSEMBLER, FRAMED},
		{0x40, "runtime.sigpanic", 0, FRAMED},
	};

	build(specs, 2, 0x80, NULL, 0);
	check_by_sp(0, 16, 0, SAME);
	check_by_sp(4, 64, 64, SAME);
	check_by_sp(8, 64, 64, SAVED);
	check_by_sp(0x48, 64, 64, SAVED);
}
END_TEST

/*
 * What the assembler's functions do with sp and x30 is in their code alone. Here it has bytes that
 * no program tells of: stp x29, x30, [sp, #-16]!; mov x29, sp; ldp x29, x30, [sp], #16; ret; and
 * str x30, [sp, #-48]!; nop; ldr x30, [sp], #48; ret.
 */
START_TEST(assembler)
{
	static const uint32_t code[] = {0xa9bf7bfd, 0x910003fd, 0xa8c17bfd, 0xd65f03c0,
					0xf81d0ffe, 0xd503201f, 0xf84307fe, 0xd65f03c0};
	const struct spec specs[] = {
		{0, "main.kernel", GO_ASSEMBLER, LEAF},
		{0x10, "main.framed", GO_ASSEMBLER, FRAMED},
		{0x20, "main.switch", GO_ASSEMBLER | GO_SETS_STACK, FRAMED},
	};

	build(specs, 3, 0x40, code, ARRAY_SIZE(code));
	check_by_sp(0, 0, 0, SAME);
	ck_assert_int_eq(rule_at(4)->cfa_off, 16);
	ck_assert_int_eq(rule_at(4)->kept_off, -8);
	check_by_sp(0x0c, 0, 0, SAME);
	ck_assert_int_eq(rule_at(0x14)->cfa_off, 48);
	ck_assert_int_eq(rule_at(0x14)->kept_off, -48);
	check_by_sp(0x1c, 0, 0, SAME);
	ck_assert_int_eq(rule_at(0x28)->cfa, UNWIND_CFA_NONE);
}
END_TEST

/* Before Go 1.18 nothing tells which functions are the assembler's. */
START_TEST(tables_without_flags)
{
	const struct spec spec = {0, "main.framed", 0, FRAMED};
	frames f = make_table(NEWEST, &spec, 1, 0x40);
	struct go_table go;

	ck_assert(go_table_read(f.data, f.nr, QUANTUM, &go));
	ck_assert(!go_frames_have_flags(&go));
	vec_free(&f);
}
END_TEST

/* x29 tells from the third instruction of the frame on, and up to the one that takes it away. */
START_TEST(other_stacks)
{
	const struct spec specs[] = {
		{0, "runtime.nanotime1", GO_SETS_STACK | GO_ASSEMBLER, FRAMED},
		{0x40, "gogo", GO_SETS_STACK | GO_ASSEMBLER, LEAF},
		{0x140, "runtime.short", GO_SETS_STACK, PROGRAM(2, 1, 96, 2, 95, 1)},
		{0x160, "racecall", GO_SETS_STACK | GO_ASSEMBLER, LEAF},
		{0x260, "runtime.grown", GO_SETS_STACK, GROWN},
	};

	build(specs, 5, 0x300, NULL, 0);
	check_by_sp(3, 0, 0, SAME);
	check_by_sp(4, 48, 48, SAME);
	check_by_sp(8, 48, 48, SAVED);
	check_by_fp(12, 48);
	check_by_fp(0x27, 48);
	check_by_sp(0x28, 48, 48, SAME);
	check_by_sp(0x2c, 0, 0, SAME);
	/* Without a frame, the first place alone is known. */
	check_by_sp(0x40, 0, 0, SAME);
	ck_assert_int_eq(rule_at(0x44)->cfa, UNWIND_CFA_UNSUPPORTED);
	check_by_sp(0x148, 48, 48, SAVED);
	check_by_sp(0x14c, 0, 0, SAME);
	check_by_sp(0x160, 0, 0, SAME);
	ck_assert_int_eq(rule_at(0x164)->cfa, UNWIND_CFA_UNSUPPORTED);
	/* A frame that grows has its x29 from the beginning on. */
	check_by_fp(0x260 + 0x2c, 48);
}
END_TEST

static const uint32_t systemstack[] = {
	0xf81f0ffe, 0xf81f83fd, 0xd10023fd, 0xf9400fe3, 0xaa0303fa, 0xf9401b84, 0xf9402885,
	0xeb1c00bf, 0x540003c0, 0xf9400085, 0xeb1c00bf, 0x54000360, 0xf9406086, 0xeb1c00df,
	0x540000a0, 0x90000023, 0x9112c063, 0xd63f0060, 0x140008d2, 0x97fffdd9, 0xaa0503fc,
	0x94000e5b, 0xf9401f83, 0x9100007f, 0xf940379d, 0xf9400343, 0xd63f0060, 0xf9401b83,
	0xf940607c, 0x94000e53, 0xf9401f80, 0x9100001f, 0xf940379d, 0xf9001f9f, 0xf900379f,
	0xf85f83fd, 0xf84107fe, 0xd65f03c0, 0xf9400343, 0xf84107fe, 0xd10023fd, 0xd61f0060};

static const uint32_t mcall[] = {0xaa0003fa, 0x910003e0, 0xf9001f80, 0xf900379d, 0xf900239e,
				 0xf900339f, 0xaa1c03e3, 0xf9401b88, 0xf940011c, 0x94000e87,
				 0xeb1c007f, 0x54000041, 0x14000fe0, 0xf9401f80, 0x9100001f,
				 0xf940379d, 0xaa0303e0, 0xf81f03ff, 0xd10043ff, 0xf9400344,
				 0xd63f0080, 0x14000fdf};

static const uint32_t morestack[] = {
	0xf9401b88, 0xf9400104, 0x910003e0, 0xf9001f80, 0xf900379d, 0xf900239e, 0xf9003383,
	0xf9002b9a, 0xeb1c009f, 0x54000061, 0x94000f96, 0x14000899, 0xf9402904, 0xeb1c009f,
	0x54000061, 0x94000f95, 0x14000894, 0xf9000903, 0x910003e0, 0xf9000500, 0xf9000d1c,
	0xf940011c, 0x94000e1a, 0xf9401f80, 0x9100001f, 0xf940379d, 0xf81f0fff, 0x94000fb1};

static const uint32_t asmcgocall[] = {
	0xf81f0ffe, 0xf81f83fd, 0xd10023fd, 0xf9400fe1, 0xf94013e0, 0x910003e2, 0xb40004bc,
	0xaa1c03e4, 0xf9401b88, 0xf9402903, 0xeb03039f, 0x54000400, 0xf9400103, 0xeb03039f,
	0x540003a0, 0xaa0003e9, 0x97fff538, 0xaa0303fc, 0x9400061e, 0xf9401f80, 0x9100001f,
	0xf940379d, 0xaa0903e0, 0x910003ed, 0xd10041ad, 0x910001bf, 0xf90003e4, 0xf9400484,
	0xcb020084, 0xf90007e4, 0xd63f0020, 0xaa0003e9, 0xf94003fc, 0x9400060f, 0xf9400785,
	0xf94007e6, 0xcb0600a5, 0xaa0903e0, 0x910000bf, 0xb9002be0, 0xf85f83fd, 0xf84107fe,
	0xd65f03c0, 0x910003ed, 0xd10041ad, 0x910001bf, 0xaa1f03e4, 0xf90003e4, 0xf90007e2,
	0xd63f0020, 0xf94007e2, 0x9100005f, 0xf90017e0, 0xf85f83fd, 0xf84107fe, 0xd65f03c0};

static const uint32_t crosscall[] = {
	0xd10303ff, 0xa90087e0, 0xf9000fe3, 0xa90253f3, 0xa9035bf5, 0xa90463f7, 0xa9056bf9,
	0xa90673fb, 0x6d0727e8, 0x6d082fea, 0x6d0937ec, 0x6d0a3fee, 0xa90b7bfd, 0x97fe43c3,
	0x97fe3dd2, 0xa94253f3, 0xa9435bf5, 0xa94463f7, 0xa9456bf9, 0xa94673fb, 0x6d4727e8,
	0x6d482fea, 0x6d4937ec, 0x6d4a3fee, 0xa94b7bfd, 0x910303ff, 0xd65f03c0};

static void put_code(struct go_code *code, const uint32_t *words, size_t bytes)
{
	code->size = bytes;
	memcpy(code->bytes, words, bytes);
}

/* Reads the function @kind; the code of systemstack is there, too. */
static bool read_code(enum go_code_kind kind, const uint32_t *words, size_t bytes,
		      struct go_stretches *s)
{
	struct go_code codes[GO_NR_CODES] = {0};

	put_code(&codes[GO_SYSTEMSTACK], systemstack, sizeof(systemstack));
	put_code(&codes[kind], words, bytes);
	return go_code_read(codes, kind, s);
}

/* Cut short, a function is not known. */
#define READ(kind, words, least, s)                                                                \
	do {                                                                                       \
		for (size_t bytes = 0; bytes < (least)*4; bytes++)                                 \
			ck_assert(!read_code(kind, words, bytes, s));                              \
		ck_assert(read_code(kind, words, sizeof(words), s));                               \
	} while (0)

START_TEST(names)
{
	ck_assert_int_eq(go_code_kind_of("runtime.mcall", 14), GO_MCALL);
	ck_assert_int_eq(go_code_kind_of("runtime.mcall", 13), GO_NR_CODES);
	ck_assert_int_eq(go_code_kind_of("runtime.systemstack", 20), GO_SYSTEMSTACK);
	ck_assert_int_eq(go_code_kind_of("racecall", 9), GO_NR_CODES);
}
END_TEST

START_TEST(code_of_systemstack)
{
	struct go_stretches s;
	uint32_t other[ARRAY_SIZE(systemstack)];

	READ(GO_SYSTEMSTACK, systemstack, ARRAY_SIZE(systemstack) - 1, &s);
	ck_assert_uint_eq(s.nr, 2);
	ck_assert_uint_eq(s.all[0].start, 0x60);
	ck_assert_uint_eq(s.all[0].end, 0x80);
	ck_assert_int_eq(s.all[0].rule.cfa, UNWIND_CFA_GO_SWITCH);
	ck_assert_int_eq(s.all[0].rule.cfa_add, 0x30);
	ck_assert_int_eq(s.all[0].rule.fp_off, 0xc0);
	ck_assert_int_eq(s.all[0].rule.kept_off, 0x38);
	/* The frame is gone before the jump. */
	ck_assert_uint_eq(s.all[1].start, 0xa0);
	ck_assert_uint_eq(s.all[1].end, 0xa8);
	ck_assert_int_eq(s.all[1].rule.cfa_off, 0);
	ck_assert_int_eq(s.all[1].rule.fp, UNWIND_SAVED_LOST);
	/* A frame of 32 bytes */
	memcpy(other, systemstack, sizeof(other));
	other[0] = 0xf81e0ffe;
	ck_assert(!read_code(GO_SYSTEMSTACK, other, sizeof(other), &s));
}
END_TEST

START_TEST(code_of_mcall)
{
	struct go_stretches s;

	READ(GO_MCALL, mcall, 10, &s);
	ck_assert_uint_eq(s.nr, 1);
	ck_assert_uint_eq(s.all[0].start, 0x25);
	ck_assert_uint_eq(s.all[0].end, sizeof(mcall));
	ck_assert_int_eq(s.all[0].rule.ra, UNWIND_RA_UNDEFINED);
}
END_TEST

START_TEST(code_of_morestack)
{
	struct go_stretches s;

	READ(GO_MORESTACK, morestack, 7, &s);
	ck_assert_uint_eq(s.nr, 1);
	ck_assert_uint_eq(s.all[0].start, 0x1c);
	ck_assert_uint_eq(s.all[0].end, sizeof(morestack));
	ck_assert_int_eq(s.all[0].rule.cfa, UNWIND_CFA_GO_SWITCH);
	ck_assert_int_eq(s.all[0].rule.cfa_reg, UNWIND_REG_PC);
	ck_assert_int_eq(s.all[0].rule.kept_off, 0x38);
	ck_assert_int_eq(s.all[0].rule.cfa_off, 0x60);
}
END_TEST

START_TEST(code_of_asmcgocall)
{
	struct go_stretches s;

	READ(GO_ASMCGOCALL, asmcgocall, 52, &s);
	ck_assert_uint_eq(s.nr, 4);
	for (size_t i = 0; i < 4; i += 2) {
		ck_assert_int_eq(s.all[i].rule.cfa, UNWIND_CFA_UNSUPPORTED);
		ck_assert_uint_eq(s.all[i].end, s.all[i + 1].start);
		ck_assert_int_eq(s.all[i + 1].rule.cfa, UNWIND_CFA_GO_CALL);
		ck_assert_int_eq(s.all[i + 1].rule.cfa_reg, UNWIND_REG_SP);
		ck_assert_int_eq(s.all[i + 1].rule.cfa_off, 0);
		ck_assert_int_eq(s.all[i + 1].rule.cfa_add, 8);
		ck_assert_int_eq(s.all[i + 1].rule.fp_off, 8);
	}
	ck_assert_uint_eq(s.all[0].start, 0x54);
	ck_assert_uint_eq(s.all[1].start, 0x78);
	ck_assert_uint_eq(s.all[1].end, 0x9c);
	ck_assert_uint_eq(s.all[2].start, 0xb8);
	ck_assert_uint_eq(s.all[3].start, 0xc4);
	ck_assert_uint_eq(s.all[3].end, 0xd0);
}
END_TEST

START_TEST(code_of_crosscall)
{
	struct go_stretches s;

	READ(GO_CROSSCALL, crosscall, 26, &s);
	ck_assert_uint_eq(s.nr, 3);
	ck_assert_uint_eq(s.all[0].start, 4);
	ck_assert_int_eq(s.all[0].rule.kept, UNWIND_SAVED_SAME);
	ck_assert_uint_eq(s.all[1].start, 0x34);
	ck_assert_int_eq(s.all[1].rule.cfa_off, 192);
	ck_assert_int_eq(s.all[1].rule.fp_off, -16);
	ck_assert_int_eq(s.all[1].rule.kept_off, -8);
	ck_assert_uint_eq(s.all[2].start, 0x64);
	ck_assert_uint_eq(s.all[2].end, 0x68);
}
END_TEST

/* What instructions tell goes before the program, which tells the rest. */
START_TEST(code_and_programs)
{
	const struct spec specs[] = {
		{0, "runtime.systemstack", GO_SETS_STACK | GO_ASSEMBLER,
		 PROGRAM(2, 1, 32, 36, 31, 1, 32, 4, 31, 1)},
		{0xb0, "runtime.mcall", GO_SETS_STACK, LEAF},
	};

	build(specs, 2, 0x110, systemstack, ARRAY_SIZE(systemstack));
	check_by_sp(0, 0, 0, SAME);
	check_by_sp(4, 16, 16, SAME);
	check_by_sp(0x5c, 16, 16, SAVED);
	ck_assert_int_eq(rule_at(0x60)->cfa, UNWIND_CFA_GO_SWITCH);
	ck_assert_int_eq(rule_at(0x7f)->cfa, UNWIND_CFA_GO_SWITCH);
	check_by_sp(0x80, 16, 16, SAVED);
	check_by_sp(0x94, 0, 0, SAME);
	check_by_sp(0x98, 16, 16, SAVED);
	check_by_sp(0xa0, 0, 0, UNWIND_SAVED_LOST);
	/* Its code is unlike any that is known. */
	ck_assert_int_eq(rule_at(0xb0)->cfa, UNWIND_CFA_UNSUPPORTED);
}
END_TEST

SUITE_MAIN_WITH("go_frames_aarch64", NULL, end, plain, injected, assembler, tables_without_flags,
		other_stacks, names, code_of_systemstack, code_of_mcall, code_of_morestack,
		code_of_asmcgocall, code_of_crosscall, code_and_programs)
