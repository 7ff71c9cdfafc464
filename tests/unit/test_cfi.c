// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/cfi.h"

#include "record/cfi/dwarf_ops.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define SIZE 0x1000 /* of the function */

struct row {
	uint64_t off; /* from the function's beginning */
	struct unwind_rule rule;
};

typedef VEC(struct row) rows;

/* The rows that the last run of a test gave. */
static rows out;

static void end(void)
{
	vec_free(&out);
}

static int add_row(void *ctx, uint64_t addr, const struct unwind_rule *rule)
{
	rows *to = ctx;

	ck_assert_uint_ge(addr, CODE_VADDR);
	ck_assert(!to->nr || addr - CODE_VADDR > to->data[to->nr - 1].off);
	return vec_push(to, ((struct row){addr - CODE_VADDR, *rule}));
}

static bool is_instead;

/* Runs all functions of the section. Returns their number. */
static size_t run_section(const struct eh_section *section)
{
	struct cfi_fde fde;
	struct cfi cfi;
	size_t nr = 0;
	int ret;

	vec_clear(&out);
	cfi_init(&cfi, section);
	cfi.is_instead = is_instead;
	for (; (ret = cfi_next(&cfi, &fde)) > 0; nr++)
		ck_assert_int_eq(cfi_run(&cfi, &fde, add_row, &out), 0);
	ck_assert_int_eq(ret, 0);
	cfi_deinit(&cfi);
	return nr;
}

static size_t run_frames(const frames *f)
{
	return run_section(
		&(struct eh_section){.bytes = f->data, .size = f->nr, .vaddr = FRAMES_VADDR});
}

/* Runs one function, which has the usual CIE and @program. */
static void run(const uint8_t *program, size_t size)
{
	frames f = {0};

	put_fde(&f, put_usual_cie(&f), CODE_VADDR, SIZE, program, size);
	ck_assert_uint_eq(run_frames(&f), 1);
	vec_free(&f);
}

/* The rule of a function whose program changes nothing on its way. */
static struct unwind_rule rule_of(const uint8_t *program, size_t size)
{
	run(program, size);
	ck_assert_uint_eq(out.nr, 1);
	ck_assert_uint_eq(out.data[0].off, 0);
	return out.data[0].rule;
}

static void check_rule(const struct unwind_rule *got, struct unwind_rule want)
{
	ck_assert_mem_eq(got, &want, sizeof(want));
}

/* The rule at the beginning of a function: USUAL. */
#define REG(reg, off) .cfa = UNWIND_CFA_REG, .cfa_reg = (reg), .cfa_off = (off)
#define USUAL         REG(UNWIND_RSP, 8)

#define CHECK_RULE(program, ...)                                                                   \
	do {                                                                                       \
		struct unwind_rule _rule = rule_of(program);                                       \
                                                                                                   \
		check_rule(&_rule, (struct unwind_rule){__VA_ARGS__});                             \
	} while (0)

#define UNSUPPORTED .cfa = UNWIND_CFA_UNSUPPORTED

START_TEST(nothing_said)
{
	CHECK_RULE(NO_BYTES, USUAL);
	CHECK_RULE(BYTES(0, 0, 0), USUAL);
	CHECK_RULE(BYTES(DW_CFA_GNU_args_size, 0x80, 1), USUAL);
	CHECK_RULE(BYTES(DW_CFA_offset | 12, 3, DW_CFA_undefined, 50),
		   USUAL); /* r12 and a register that does not exist */
}
END_TEST

START_TEST(other_kept_register)
{
	is_instead = true;
	CHECK_RULE(NO_BYTES, USUAL, .is_instead = 1);
	CHECK_RULE(BYTES(DW_CFA_offset | 12, 3, DW_CFA_offset | 3, 4), USUAL,
		   .kept = UNWIND_SAVED_CFA, .kept_off = -24, .is_instead = 1);
	CHECK_RULE(BYTES(DW_CFA_undefined, 12), USUAL, .kept = UNWIND_SAVED_LOST, .is_instead = 1);
	is_instead = false;
}
END_TEST

START_TEST(advances)
{
	static const uint64_t offs[] = {0, 0x3f, 0x3f + 0x80, 0x1bf, 0x7bf, 0xf00};
	run(BYTES(DW_CFA_advance_loc | 0x3f, DW_CFA_def_cfa_offset, 1, DW_CFA_advance_loc1, 0x80,
		  DW_CFA_def_cfa_offset, 2, DW_CFA_advance_loc2, 0, 1, DW_CFA_def_cfa_offset, 3,
		  DW_CFA_advance_loc | 0, DW_CFA_advance_loc4, 0, 6, 0, 0, DW_CFA_def_cfa_offset, 4,
		  /* From its own address, 0x500000 + 0x3c, to 0x401000 + 0xf00. */
		  DW_CFA_set_loc, 0xc4, 0x1e, 0xf0, 0xff, DW_CFA_def_cfa_offset, 5));

	ck_assert_uint_eq(out.nr, 6);
	for (size_t i = 0; i < out.nr; i++) {
		ck_assert_uint_eq(out.data[i].off, offs[i]);
		ck_assert_int_eq(out.data[i].rule.cfa_off, i ? (int)i : 8);
	}
}
END_TEST

/* Rows after the end belong to another function. */
START_TEST(advances_beyond_end)
{
	run(BYTES(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc2, 0xff,
		  0x0f, DW_CFA_def_cfa_offset, 24));

	ck_assert_uint_eq(out.nr, 2);
	run(BYTES(DW_CFA_advance_loc4, 0xff, 0xff, 0xff, 0xff, 0x3f));
	ck_assert_uint_eq(out.nr, 1);
	check_rule(&out.data[0].rule, (struct unwind_rule){USUAL});
}
END_TEST

START_TEST(cfa)
{
	CHECK_RULE(BYTES(DW_CFA_def_cfa, 6, 16), REG(6, 16));
	CHECK_RULE(BYTES(DW_CFA_def_cfa, 6, 0x90, 0x80, 0), REG(6, 16));
	CHECK_RULE(BYTES(DW_CFA_def_cfa_sf, 6, 2), REG(6, -16));
	CHECK_RULE(BYTES(DW_CFA_def_cfa_register, 6), REG(6, 8));
	CHECK_RULE(BYTES(DW_CFA_def_cfa_offset, 0x80, 1), REG(UNWIND_RSP, 128));
	CHECK_RULE(BYTES(DW_CFA_def_cfa_offset_sf, 0x7e), REG(UNWIND_RSP, 16));
	CHECK_RULE(BYTES(DW_CFA_def_cfa, 10, 0), REG(10, 0));
	/* No such register, and too far. */
	CHECK_RULE(BYTES(DW_CFA_def_cfa, 17, 0), UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_def_cfa, 0x87, 2, 0), UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 7),
		   REG(UNWIND_RSP, INT32_MAX));
	CHECK_RULE(BYTES(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 8), UNSUPPORTED);
}
END_TEST

START_TEST(registers)
{
	CHECK_RULE(BYTES(DW_CFA_offset | 6, 2), USUAL, .fp = UNWIND_SAVED_CFA, .fp_off = -16);
	CHECK_RULE(BYTES(DW_CFA_offset | 3, 3), USUAL, .kept = UNWIND_SAVED_CFA, .kept_off = -24);
	CHECK_RULE(BYTES(DW_CFA_offset_extended, 6, 2), USUAL, .fp = UNWIND_SAVED_CFA,
		   .fp_off = -16);
	CHECK_RULE(BYTES(DW_CFA_offset_extended_sf, 3, 0x7f), USUAL, .kept = UNWIND_SAVED_CFA,
		   .kept_off = 8);
	CHECK_RULE(BYTES(DW_CFA_GNU_negative_offset_extended, 3, 1), USUAL,
		   .kept = UNWIND_SAVED_CFA, .kept_off = 8);
	CHECK_RULE(BYTES(DW_CFA_offset | 6, 2, DW_CFA_restore | 6), USUAL);
	CHECK_RULE(BYTES(DW_CFA_offset | 3, 2, DW_CFA_restore_extended, 3), USUAL);
	CHECK_RULE(BYTES(DW_CFA_offset | 6, 2, DW_CFA_same_value, 6), USUAL);
	CHECK_RULE(BYTES(DW_CFA_undefined, 6), USUAL, .fp = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_register, 3, 12), USUAL, .kept = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_val_offset, 6, 2), USUAL, .fp = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_val_offset_sf, 3, 2), USUAL, .kept = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_offset | 6, 0x80, 0x80, 0x80, 0x80, 1), USUAL, /* 2 GiB */
		   .fp = UNWIND_SAVED_CFA, .fp_off = INT32_MIN);
	CHECK_RULE(BYTES(DW_CFA_offset | 6, 0x81, 0x80, 0x80, 0x80, 1), USUAL,
		   .fp = UNWIND_SAVED_LOST);
}
END_TEST

START_TEST(return_addresses)
{
	CHECK_RULE(BYTES(DW_CFA_undefined, 16), USUAL, .ra = UNWIND_RA_UNDEFINED);
	CHECK_RULE(BYTES(DW_CFA_register, 16, 2), USUAL, .ra = UNWIND_RA_REG, .ra_reg = 2);
	CHECK_RULE(BYTES(DW_CFA_register, 16, 17), USUAL, .ra = UNWIND_RA_UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_offset | 16, 2), USUAL, .ra = UNWIND_RA_UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_same_value, 16), USUAL, .ra = UNWIND_RA_UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_undefined, 16, DW_CFA_restore | 16), USUAL);
}
END_TEST

/* The walk takes the CFA for the rsp of the caller. Any other rule for rsp is not supported. */
START_TEST(stack_pointer)
{
	CHECK_RULE(BYTES(DW_CFA_val_offset, 7, 0), USUAL);
	CHECK_RULE(BYTES(DW_CFA_val_offset, 7, 1), UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_register, 7, 8), UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_same_value, 7), UNSUPPORTED);
	CHECK_RULE(BYTES(DW_CFA_offset | 7, 1, DW_CFA_restore | 7), USUAL);
}
END_TEST

/* DW_CFA_def_cfa_expression with the operations that follow. */
#define EXPRESSION(...)                                                                            \
	BYTES(DW_CFA_def_cfa_expression, sizeof((const uint8_t[]){__VA_ARGS__}), __VA_ARGS__)

#define BREG(n) (DW_OP_breg0 + (n))

START_TEST(expressions)
{
	CHECK_RULE(EXPRESSION(BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and, DW_OP_lit0 + 11,
			      DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
		   .cfa = UNWIND_CFA_PLT, .cfa_off = 11);
	CHECK_RULE(EXPRESSION(BREG(10), 0x78, DW_OP_deref), .cfa = UNWIND_CFA_DEREF, .cfa_reg = 10,
		   .cfa_off = -8);
	/* SBCL calls Lisp so. */
	CHECK_RULE(EXPRESSION(BREG(6), 0, DW_OP_deref, DW_OP_lit0 + 16, DW_OP_plus),
		   .cfa = UNWIND_CFA_DEREF, .cfa_reg = 6, .cfa_add = 16);
	CHECK_RULE(EXPRESSION(BREG(7), 0xc0, 0, DW_OP_deref, DW_OP_plus_uconst, 8),
		   .cfa = UNWIND_CFA_DEREF, .cfa_reg = 7, .cfa_off = 64, .cfa_add = 8);
	CHECK_RULE(EXPRESSION(BREG(7), 40, BREG(9), 0, DW_OP_lit8, DW_OP_mul, DW_OP_plus,
			      DW_OP_deref, DW_OP_plus_uconst, 8),
		   .cfa = UNWIND_CFA_DEREF_INDEX, .cfa_reg = 9, .cfa_off = 40, .cfa_add = 8);
	CHECK_RULE(EXPRESSION(BREG(6), 16), REG(6, 16));
}
END_TEST

START_TEST(unknown_expressions)
{
	CHECK_RULE(BYTES(DW_CFA_def_cfa_expression, 0), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(DW_OP_lit8), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7)), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 0x80), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(17), 8), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(31), 8, DW_OP_deref), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, DW_OP_deref, DW_OP_deref), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, DW_OP_deref, DW_OP_plus_uconst), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, DW_OP_deref, DW_OP_lit8), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, DW_OP_deref, DW_OP_lit8, DW_OP_mul), UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, DW_OP_deref, DW_OP_plus), UNSUPPORTED);
	CHECK_RULE(
		EXPRESSION(BREG(7), 8, DW_OP_deref, DW_OP_plus_uconst, 0x80, 0x80, 0x80, 0x80, 8),
		UNSUPPORTED);
	CHECK_RULE(
		EXPRESSION(BREG(6), 8, BREG(9), 0, DW_OP_lit8, DW_OP_mul, DW_OP_plus, DW_OP_deref),
		UNSUPPORTED);
	CHECK_RULE(
		EXPRESSION(BREG(7), 8, BREG(9), 1, DW_OP_lit8, DW_OP_mul, DW_OP_plus, DW_OP_deref),
		UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and, DW_OP_lit15 + 1,
			      DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
		   UNSUPPORTED);
	CHECK_RULE(EXPRESSION(BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and, DW_OP_lit0 + 11,
			      DW_OP_ge, DW_OP_lit3, DW_OP_shl),
		   UNSUPPORTED);
}
END_TEST

START_TEST(register_expressions)
{
	CHECK_RULE(BYTES(DW_CFA_expression, 6, 2, BREG(6), 0), USUAL, .fp = UNWIND_SAVED_FP);
	CHECK_RULE(BYTES(DW_CFA_expression, 3, 2, BREG(6), 0x70), USUAL, .kept = UNWIND_SAVED_FP,
		   .kept_off = -16);
	CHECK_RULE(BYTES(DW_CFA_expression, 6, 2, BREG(7), 0), USUAL, .fp = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_expression, 6, 3, BREG(6), 0, DW_OP_deref), USUAL,
		   .fp = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_val_expression, 6, 2, BREG(6), 0), USUAL, .fp = UNWIND_SAVED_LOST);
	CHECK_RULE(BYTES(DW_CFA_expression, 12, 2, BREG(6), 0), USUAL);
	CHECK_RULE(BYTES(DW_CFA_expression, 16, 2, BREG(6), 0), USUAL, .ra = UNWIND_RA_UNSUPPORTED);
}
END_TEST

#define DEEP(n) deep, n

START_TEST(remembered)
{
	uint8_t deep[33];
	run(BYTES(DW_CFA_offset | 6, 2, DW_CFA_def_cfa_offset, 16, DW_CFA_remember_state,
		  DW_CFA_advance_loc | 1, DW_CFA_restore | 6, DW_CFA_def_cfa_offset, 8,
		  DW_CFA_advance_loc | 1, DW_CFA_restore_state));

	ck_assert_uint_eq(out.nr, 3);
	check_rule(&out.data[1].rule, (struct unwind_rule){USUAL});
	check_rule(&out.data[2].rule, (struct unwind_rule){REG(UNWIND_RSP, 16),
							   .fp = UNWIND_SAVED_CFA, .fp_off = -16});
	memset(deep, DW_CFA_remember_state, 16);
	memset(deep + 16, DW_CFA_restore_state, 17);
	CHECK_RULE(DEEP(32), USUAL);
	CHECK_RULE(DEEP(33), UNSUPPORTED);
	memset(deep, DW_CFA_remember_state, 17);
	CHECK_RULE(DEEP(17), UNSUPPORTED);
}
END_TEST

/* After the malformed byte, a function has a rule that is not supported. */
START_TEST(malformed_programs)
{
	static const uint8_t begin[] = {DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 4};
	static const struct {
		uint8_t size, bytes[12];
	} ends[] = {
		{1, {0x17}},
		{1, {0x2d}},
		{1, {DW_CFA_offset | 6}},
		{2, {DW_CFA_offset | 6, 0x80}},
		{12,
		 {DW_CFA_offset | 6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		  1}},
		{1, {DW_CFA_advance_loc1}},
		{2, {DW_CFA_advance_loc2, 1}},
		{4, {DW_CFA_advance_loc4, 1, 0, 0}},
		{3, {DW_CFA_set_loc, 0, 0}},
		{5, {DW_CFA_set_loc, 0xd5, 0x0f, 0xf0, 0xff}}, /* back to the beginning */
		{1, {DW_CFA_restore_state}},
		{2, {DW_CFA_def_cfa, 7}},
		{2, {DW_CFA_def_cfa_expression, 1}},
		{5, {DW_CFA_def_cfa_expression, 1, BREG(7), DW_CFA_def_cfa_offset, 8}},
		{3, {DW_CFA_expression, 6, 9}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		uint8_t program[sizeof(begin) + sizeof(ends[i].bytes)];
		memcpy(program, begin, sizeof(begin));
		memcpy(program + sizeof(begin), ends[i].bytes, ends[i].size);
		run(program, sizeof(begin) + ends[i].size);
		ck_assert_msg(out.nr == 2 && out.data[1].off == 4, "case %zu", i);
		check_rule(&out.data[0].rule, (struct unwind_rule){REG(UNWIND_RSP, 16)});
		check_rule(&out.data[1].rule, (struct unwind_rule){UNSUPPORTED});
	}
}
END_TEST

/* One function with the CIE that @letters, @data and @program make, and pcrel sdata4 pointers. */
static size_t run_cie(const char *letters, const uint8_t *data, size_t nr, const uint8_t *program,
		      size_t size)
{
	frames f = {0};
	size_t functions;

	put_fde(&f, put_cie(&f, letters, data, nr, program, size), CODE_VADDR, SIZE, NO_BYTES);
	functions = run_frames(&f);
	vec_free(&f);
	return functions;
}

START_TEST(augmentations)
{
	ck_assert_uint_eq(run_cie("zPLR", BYTES(0x9b, 1, 2, 3, 4, 0x1b, 0x1b), USUAL_INITIAL), 1);
	check_rule(&out.data[0].rule, (struct unwind_rule){USUAL});
	ck_assert_uint_eq(run_cie("zRBL", BYTES(0x1b, 0xff), USUAL_INITIAL), 1);
	ck_assert_uint_eq(run_cie("zPR", BYTES(0xff, 0x1b), USUAL_INITIAL), 1);
	ck_assert_uint_eq(run_cie("zPR", BYTES(0x05, 0x1b), USUAL_INITIAL), 0);
	ck_assert_uint_eq(run_cie("zRP", BYTES(0x1b, 0x9b, 1, 2, 3), USUAL_INITIAL), 0);
	ck_assert_uint_eq(run_cie("zRX", BYTES(0x1b), USUAL_INITIAL), 0);
	ck_assert_uint_eq(run_cie("eh", NO_BYTES, USUAL_INITIAL), 0);
	ck_assert_uint_eq(run_cie("zRRRRRRRRRRRRRRRRR", BYTES(0x1b), USUAL_INITIAL), 0);
	ck_assert_uint_eq(run_cie("zRS", BYTES(0x1b), USUAL_INITIAL), 1);
	check_rule(&out.data[0].rule, (struct unwind_rule){.cfa = UNWIND_CFA_SIGNAL});
}
END_TEST

START_TEST(initial_programs)
{
	static uint8_t nops[1025];

	/* No rule for the CFA, then none for the return address. */
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), NO_BYTES), 1);
	check_rule(&out.data[0].rule, (struct unwind_rule){UNSUPPORTED});
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), BYTES(DW_CFA_def_cfa, 7, 8)), 1);
	check_rule(&out.data[0].rule, (struct unwind_rule){USUAL, .ra = UNWIND_RA_UNDEFINED});
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), nops, 1024), 1);
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), nops, 1025), 0);
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), BYTES(DW_CFA_advance_loc | 1)), 0);
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), BYTES(DW_CFA_set_loc, 1, 2, 3, 4)), 0);
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), BYTES(DW_CFA_restore | 6)), 0);
	ck_assert_uint_eq(run_cie("zR", BYTES(0x1b), BYTES(DW_CFA_def_cfa, 7)), 0);
}
END_TEST

/* Runs one function. Its FDE has @start for its address and @len for its size, of @size bytes. */
static size_t run_pointers(uint8_t encoding, uint64_t start, uint64_t len, size_t size)
{
	frames f = {0};
	size_t cie = put_cie(&f, "zR", &encoding, 1, USUAL_INITIAL), at = f.nr, nr;
	struct eh_section section = {.vaddr = FRAMES_VADDR, .data_base = 0x400000};

	put_number(&f, 0, 4);
	put_number(&f, f.nr - cie, 4);
	put_number(&f, start, size);
	put_number(&f, len, size);
	put_u8(&f, 0);
	end_entry(&f, at);
	section.bytes = f.data;
	section.size = f.nr;
	nr = run_section(&section);
	vec_free(&f);
	return nr;
}

START_TEST(pointers)
{
	/* The CIE has 22 bytes. The pointer of the FDE stands 8 bytes after its end. */
	const uint64_t back = CODE_VADDR - (FRAMES_VADDR + 30);
	static const uint8_t eights[] = {0x00, 0x04, 0x08, 0x0c};

	for (size_t i = 0; i < sizeof(eights); i++) {
		ck_assert_uint_eq(run_pointers(eights[i], CODE_VADDR, SIZE, 8), 1);
		ck_assert_uint_eq(run_pointers(eights[i] | 0x10, back, SIZE, 8), 1);
	}
	ck_assert_uint_eq(run_pointers(0x03, CODE_VADDR, SIZE, 4), 1);
	ck_assert_uint_eq(run_pointers(0x0b, CODE_VADDR, SIZE, 4), 1);
	ck_assert_uint_eq(run_pointers(0x1b, back, SIZE, 4), 1);
	ck_assert_uint_eq(out.data[0].off, 0);
	ck_assert_uint_eq(run_pointers(0x32, 0x1000, 0xf000, 2), 1);
	ck_assert_uint_eq(out.data[0].off, 0);
	ck_assert_uint_eq(run_pointers(0x3a, 0x1000, 0x7000, 2), 1);
	/* Three bytes each: 0x1000, 0x10. */
	ck_assert_uint_eq(run_pointers(0x31, 0x00a080, 0x008090, 3), 1);
	ck_assert_uint_eq(run_pointers(0x39, 0x00a080, 0x008090, 3), 1);
	/* No address, no size, a negative size, and a function around the end of memory. */
	ck_assert_uint_eq(run_pointers(0x1b, 0, SIZE, 4), 0);
	ck_assert_uint_eq(run_pointers(0x1b, back, 0, 4), 0);
	ck_assert_uint_eq(run_pointers(0x3a, 0x1000, 0xf000, 2), 0);
	ck_assert_uint_eq(run_pointers(0x00, CODE_VADDR, UINT64_MAX - 0x100, 8), 0);
	/* To be read from memory; relative to the text, the function, aligned; unknown. */
	ck_assert_uint_eq(run_pointers(0x9b, back, SIZE, 4), 0);
	ck_assert_uint_eq(run_pointers(0x2b, 0x1000, SIZE, 4), 0);
	ck_assert_uint_eq(run_pointers(0x4b, 0x1000, SIZE, 4), 0);
	ck_assert_uint_eq(run_pointers(0x50, CODE_VADDR, SIZE, 8), 0);
	ck_assert_uint_eq(run_pointers(0x0d, CODE_VADDR, SIZE, 8), 0);
}
END_TEST

/* .debug_frame has other ids, versions 3 and 4, and plain addresses. @wide: lengths of DWARF64. */
static size_t run_debug_frame(bool wide, uint8_t version, uint8_t address_size, uint8_t column)
{
	size_t id_size = wide ? 8 : 4, nr;
	frames f = {0}, body = {0};
	struct eh_section section = {.is_debug_frame = true};

	for (int i = 0; i < 2; i++) {
		vec_clear(&body);
		put_number(&body, i ? 0 : UINT64_MAX, id_size);
		if (i) {
			put_number(&body, CODE_VADDR, 8);
			put_number(&body, SIZE, 8);
		} else {
			put(&body, (const uint8_t[]){version, 0}, 2);
			if (version == 4)
				put(&body, (const uint8_t[]){address_size, 0}, 2);
			put(&body, (const uint8_t[]){1, 0x78, column, 0x0c, 7, 8, 0x90, 1}, 8);
		}
		if (wide)
			put_number(&f, UINT32_MAX, 4);
		put_number(&f, body.nr, id_size);
		put(&f, body.data, body.nr);
	}
	section.bytes = f.data;
	section.size = f.nr;
	nr = run_section(&section);
	vec_free(&f);
	vec_free(&body);
	return nr;
}

START_TEST(debug_frame)
{
	for (int wide = 0; wide < 2; wide++) {
		ck_assert_uint_eq(run_debug_frame(wide, 1, 0, 16), 1);
		ck_assert_uint_eq(run_debug_frame(wide, 3, 0, 16), 1);
		ck_assert_uint_eq(run_debug_frame(wide, 4, 8, 16), 1);
		check_rule(&out.data[0].rule, (struct unwind_rule){USUAL});
		ck_assert_uint_eq(run_debug_frame(wide, 4, 4, 16), 0);
		ck_assert_uint_eq(run_debug_frame(wide, 2, 8, 16), 0);
		ck_assert_uint_eq(run_debug_frame(wide, 5, 8, 16), 0);
	}
	ck_assert_uint_eq(run_debug_frame(false, 3, 0, 15), 1);
	check_rule(&out.data[0].rule, (struct unwind_rule){UNSUPPORTED});
}
END_TEST

START_TEST(entries)
{
	frames f = {0};
	size_t cie = put_usual_cie(&f), end;

	put_fde(&f, cie, CODE_VADDR, 16, NO_BYTES);
	put_number(&f, 0, 4); /* ends the frames of one input file, not the section */
	put_fde(&f, cie + 1, CODE_VADDR + 16, 16, NO_BYTES);
	put_fde(&f, f.nr + 5, CODE_VADDR + 32, 16, NO_BYTES); /* a CIE after the FDE */
	put_fde(&f, cie, CODE_VADDR + 48, 16, NO_BYTES);
	ck_assert_uint_eq(run_frames(&f), 2);
	ck_assert_uint_eq(out.data[1].off, 48);
	/* An entry that is too long hides the beginning of the next entry. */
	end = f.nr;
	put_number(&f, 1000, 4);
	put_fde(&f, cie, CODE_VADDR + 64, 16, NO_BYTES);
	ck_assert_uint_eq(run_frames(&f), 2);
	memset(f.data + end, 0xff, 12);
	ck_assert_uint_eq(run_frames(&f), 2);
	vec_free(&f);
}
END_TEST

/* Any bytes may come. Each copy ends with its memory, so that a sanitizer sees reads beyond. */
START_TEST(damaged)
{
	struct random random = {42};
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	put_fde(&f, cie, CODE_VADDR, 64, EXPRESSION(BREG(7), 8, DW_OP_deref));
	put_fde(&f, cie, CODE_VADDR + 64, 64,
		BYTES(DW_CFA_remember_state, 0x41, DW_CFA_offset | 6, 2, 0x42,
		      DW_CFA_restore_state));
	for (int i = 0; i < 20000; i++) {
		size_t len = i < 200 ? i % (f.nr + 1) : random_below(&random, f.nr + 1);
		uint8_t *copy = malloc(len + 1);
		struct eh_section section = {.bytes = copy, .size = len, .vaddr = FRAMES_VADDR};
		struct cfi_fde fde;
		struct cfi cfi;

		memcpy(copy, f.data, len);
		for (size_t n = len ? random_below(&random, 4) : 0; n; n--)
			copy[random_below(&random, len)] = random_below(&random, 256);
		cfi_init(&cfi, &section);
		while (cfi_next(&cfi, &fde) > 0) {
			vec_clear(&out);
			ck_assert_uint_lt(fde.start, fde.end);
			fde.end -= fde.start - CODE_VADDR;
			fde.start = CODE_VADDR;
			ck_assert_int_eq(cfi_run(&cfi, &fde, add_row, &out), 0);
			ck_assert_uint_gt(out.nr, 0);
			vec_free(&out);
		}
		cfi_deinit(&cfi);
		free(copy);
	}
	vec_free(&f);
}
END_TEST

SUITE_MAIN_WITH("cfi", NULL, end, nothing_said, other_kept_register, advances, advances_beyond_end,
		cfa, registers, return_addresses, stack_pointer, expressions, unknown_expressions,
		register_expressions, remembered, malformed_programs, augmentations,
		initial_programs, pointers, debug_frame, entries, damaged)
