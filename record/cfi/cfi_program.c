// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the programs of call frame information (DWARF 5, section 6.4.2) and makes rules of them. */
#include "record/cfi/cfi.h"

#include "elf/dwarf_bytes.h"
#include "record/cfi/dwarf_ops.h"

/*
 * DWARF expressions in call frame information. Tables cannot compute. So only the few shapes are
 * known that linkers, compilers and OpenSSL's assembly write.
 */

/* Takes the operation @op if it is next. */
static bool take_op(struct cursor *b, uint8_t op)
{
	if (b->p == b->end || *b->p != op)
		return false;
	b->p++;
	return true;
}

/* Takes DW_OP_breg0 to DW_OP_breg31. */
static bool take_breg(struct cursor *b, uint64_t *reg, int64_t *off)
{
	if (b->p == b->end || *b->p < DW_OP_breg0 || *b->p > DW_OP_breg31)
		return false;
	*reg = *b->p++ - DW_OP_breg0;
	*off = dwarf_sleb(b);
	return !b->bad;
}

/*
 * The linker's expression for entries of the PLT: sp + 8 + ((pc & 15) >= n) * 8. With -z ibtplt
 * the push of the relocation's number has a different place, therefore n.
 */
static bool take_plt(struct cursor *b, struct cfi_cfa *cfa)
{
	if (!take_op(b, DW_OP_breg16) || dwarf_sleb(b) || !take_op(b, DW_OP_lit15) ||
	    !take_op(b, DW_OP_and))
		return false;
	if (b->p == b->end || *b->p < DW_OP_lit0 || *b->p > DW_OP_lit15)
		return false;
	*cfa = (struct cfi_cfa){.how = UNWIND_CFA_PLT, .off = *b->p++ - DW_OP_lit0};
	return take_op(b, DW_OP_ge) && take_op(b, DW_OP_lit3) && take_op(b, DW_OP_shl) &&
	       take_op(b, DW_OP_plus);
}

/* After the address: deref, and possibly plus_uconst, or litN and plus. */
static bool take_deref(struct cursor *b, struct cfi_cfa *cfa)
{
	if (!take_op(b, DW_OP_deref))
		return false;
	if (take_op(b, DW_OP_plus_uconst)) {
		cfa->add = dwarf_uleb(b);
	} else if (b->p < b->end && *b->p >= DW_OP_lit0 && *b->p <= DW_OP_lit31) {
		cfa->add = *b->p++ - DW_OP_lit0;
		return take_op(b, DW_OP_plus);
	}
	return true;
}

/* After breg7: a register times 8, added. */
static bool take_index(struct cursor *b, struct cfi_cfa *cfa)
{
	int64_t off;

	return take_breg(b, &cfa->reg, &off) && !off && take_op(b, DW_OP_lit8) &&
	       take_op(b, DW_OP_mul) && take_op(b, DW_OP_plus) && take_deref(b, cfa);
}

static bool is_done(const struct cursor *b)
{
	return !b->bad && b->p == b->end;
}

/* The CFA that the expression @b computes; UNWIND_CFA_UNSUPPORTED when its shape is unknown. */
static struct cfi_cfa cfi_expr_cfa(struct cursor b)
{
	struct cfi_cfa cfa = {.how = UNWIND_CFA_REG}, plt;
	struct cursor rest;
	uint64_t reg;
	int64_t off;

	if (!take_breg(&b, &reg, &off))
		goto unsupported;
	rest = b;
	if (reg == UNWIND_REG_SP && off == 8 && take_plt(&rest, &plt) && is_done(&rest))
		return plt;
	cfa.reg = reg;
	cfa.off = off;
	if (is_done(&b))
		return cfa;
	rest = b;
	cfa.how = UNWIND_CFA_DEREF;
	if (take_deref(&rest, &cfa) && is_done(&rest))
		return cfa;
	cfa.how = UNWIND_CFA_DEREF_INDEX;
	if (reg == UNWIND_REG_SP && take_index(&b, &cfa) && is_done(&b))
		return cfa;
unsupported:
	return (struct cfi_cfa){.how = UNWIND_CFA_UNSUPPORTED};
}

/* Where a register is saved by the expression @b: CFI_FP or CFI_OTHER. */
static struct cfi_register cfi_expr_register(struct cursor b)
{
	uint64_t reg;
	int64_t off;

	if (take_breg(&b, &reg, &off) && is_done(&b) && reg == UNWIND_REG_FP)
		return (struct cfi_register){.how = CFI_FP, .off = off};
	return (struct cfi_register){.how = CFI_OTHER};
}

/* States remembered at a time. Compilers remember one, around a function's early ends. */
#define REMEMBERED_MAX 16

struct run {
	struct cursor b;
	const struct eh_section *section;
	const struct cfi_cie *cie;
	bool is_initial; /* the CIE's own program: it has no addresses, and nothing to restore */
	struct cfi_state state;
	struct cfi_state remembered[REMEMBERED_MAX];
	unsigned int nr_remembered;
	uint64_t addr, end;
	cfi_row_fn *row;
	void *ctx;
};

static bool is_s32(int64_t n)
{
	return n >= INT32_MIN && n <= INT32_MAX;
}

static void set_saved(const struct cfi_register *from, __u8 *how, __s32 *off)
{
	*how = UNWIND_SAVED_LOST;
	*off = 0;
	if (from->how == CFI_DEFAULT || from->how == CFI_SAME) {
		*how = UNWIND_SAVED_SAME;
	} else if ((from->how == CFI_OFFSET || from->how == CFI_FP) && is_s32(from->off)) {
		*how = from->how == CFI_FP ? UNWIND_SAVED_FP : UNWIND_SAVED_CFA;
		*off = from->off;
	}
}

static void set_return(const struct cfi_register *from, struct unwind_rule *rule)
{
	rule->ra = UNWIND_RA_UNSUPPORTED;
	if (from->how == CFI_DEFAULT || from->how == CFI_UNDEFINED) {
		rule->ra = UNWIND_RA_UNDEFINED;
	} else if (from->how == CFI_OFFSET && from->off == -RETURN_BYTES) {
		rule->ra = UNWIND_RA_CFA;
	} else if (from->how == CFI_REGISTER && from->off < UNWIND_NR_REGS) {
		rule->ra = UNWIND_RA_REG;
		rule->ra_reg = from->off;
	}
}

/* As set_return, where a call leaves the address in a register that the callee keeps. */
static void set_kept_return(const struct cfi_register *from, struct unwind_rule *rule)
{
	set_return(from, rule);
	if (from->how == CFI_DEFAULT || from->how == CFI_SAME || from->how == CFI_OFFSET ||
	    from->how == CFI_FP)
		rule->ra = UNWIND_RA_KEPT;
}

#define RETURN_IS_KEPT ((int)UNWIND_REG_RETURN == (int)UNWIND_REG_KEPT)

static void make_rule(const struct run *run, struct unwind_rule *rule)
{
	const struct cfi_register *slots = run->state.slots;
	const struct cfi_cfa *cfa = &run->state.cfa;

	*rule = (struct unwind_rule){.cfa = UNWIND_CFA_UNSUPPORTED};
	if (cfa->how == UNWIND_CFA_NONE || cfa->how == UNWIND_CFA_UNSUPPORTED ||
	    cfa->reg >= UNWIND_NR_REGS || !is_s32(cfa->off) || !is_s32(cfa->add))
		return;
	/* The caller's sp is the CFA, unless a program says otherwise (longjmp). */
	if (run->cie->fields.return_column != UNWIND_REG_RETURN ||
	    slots[CFI_SLOT_SP].how != CFI_DEFAULT)
		return;
	rule->cfa = cfa->how;
	rule->cfa_reg = cfa->reg;
	rule->cfa_off = cfa->off;
	rule->cfa_add = cfa->add;
	if (RETURN_IS_KEPT)
		set_kept_return(&slots[CFI_SLOT_KEPT], rule);
	else
		set_return(&slots[CFI_SLOT_RETURN], rule);
	set_saved(&slots[CFI_SLOT_FP], &rule->fp, &rule->fp_off);
	set_saved(&slots[CFI_SLOT_KEPT], &rule->kept, &rule->kept_off);
	rule->is_instead = run->cie->is_instead;
}

/* The state holds for the next @delta bytes. A result other than 0 ends the run. */
static int advance_addr(struct run *run, uint64_t delta)
{
	struct unwind_rule rule;
	int ret;

	if (run->is_initial) {
		run->b.bad = true;
		return 0;
	}
	if (!delta || run->b.bad)
		return 0;
	make_rule(run, &rule);
	ret = run->row(run->ctx, run->addr, &rule);
	/* After the end there is a different function. */
	if (!ret && delta >= run->end - run->addr)
		return 1;
	run->addr += delta;
	return ret;
}

static int advance_scaled(struct run *run, uint64_t delta)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(delta, run->cie->fields.code_align, &bytes))
		bytes = UINT64_MAX;
	return advance_addr(run, bytes);
}

static int set_loc(struct run *run)
{
	uint64_t addr;

	if (run->is_initial ||
	    !eh_pointer(run->section, &run->b, run->cie->fields.encoding, &addr) ||
	    addr < run->addr) {
		run->b.bad = true;
		return 0;
	}
	return advance_addr(run, addr - run->addr);
}

/* Where rules of register @reg go; NULL when it does not matter. */
static struct cfi_register *find_slot(const struct run *run, struct cfi_state *state, uint64_t reg)
{
	if (reg == (run->cie->is_instead ? UNWIND_REG_KEPT_INSTEAD : UNWIND_REG_KEPT))
		return &state->slots[CFI_SLOT_KEPT];
	if (reg == UNWIND_REG_FP)
		return &state->slots[CFI_SLOT_FP];
	if (reg == UNWIND_REG_SP)
		return &state->slots[CFI_SLOT_SP];
	return reg == UNWIND_REG_RETURN ? &state->slots[CFI_SLOT_RETURN] : NULL;
}

static void set_register(struct run *run, uint64_t reg, enum cfi_how how, int64_t off)
{
	struct cfi_register *to = find_slot(run, &run->state, reg);

	if (to)
		*to = (struct cfi_register){.how = how, .off = off};
}

static int64_t scale_offset(const struct run *run, uint64_t n)
{
	return n * (uint64_t)run->cie->fields.data_align;
}

/* sp at CFA + 0 is the default. */
static void set_val_offset(struct run *run, uint64_t reg, int64_t off)
{
	set_register(run, reg, reg == UNWIND_REG_SP && !off ? CFI_DEFAULT : CFI_OTHER, 0);
}

static void restore_register(struct run *run, uint64_t reg)
{
	struct cfi_register *to = find_slot(run, &run->state, reg);
	struct cfi_state initial = run->cie->initial;

	if (run->is_initial)
		run->b.bad = true;
	else if (to)
		*to = *find_slot(run, &initial, reg);
}

static void set_expression(struct run *run, bool is_value)
{
	uint64_t reg = dwarf_uleb(&run->b);
	struct cursor expr = cursor_sub(&run->b, dwarf_uleb(&run->b));
	struct cfi_register *to = find_slot(run, &run->state, reg);

	if (to)
		*to = is_value ? (struct cfi_register){.how = CFI_OTHER} : cfi_expr_register(expr);
}

static void set_cfa(struct run *run, uint64_t reg, int64_t off)
{
	run->state.cfa = (struct cfi_cfa){.how = UNWIND_CFA_REG, .reg = reg, .off = off};
}

/* A program can change one part only if the CFA has both. */
static void set_cfa_part(struct run *run, const uint64_t *reg, int64_t off)
{
	if (run->state.cfa.how != UNWIND_CFA_REG)
		run->b.bad = true;
	else if (reg)
		run->state.cfa.reg = *reg;
	else
		run->state.cfa.off = off;
}

/* Returns false when @op does not set the CFA. */
static bool run_cfa(struct run *run, uint8_t op)
{
	struct cursor *b = &run->b;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = dwarf_uleb(b);
		set_cfa(run, reg, dwarf_uleb(b));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = dwarf_uleb(b);
		set_cfa(run, reg, scale_offset(run, dwarf_sleb(b)));
		return true;
	case DW_CFA_def_cfa_register:
		reg = dwarf_uleb(b);
		set_cfa_part(run, &reg, 0);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa_part(run, NULL, dwarf_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_part(run, NULL, scale_offset(run, dwarf_sleb(b)));
		return true;
	case DW_CFA_def_cfa_expression:
		run->state.cfa = cfi_expr_cfa(cursor_sub(b, dwarf_uleb(b)));
		return true;
	}
	return false;
}

/* Returns false when @op does not set a register. */
static bool run_register(struct run *run, uint8_t op)
{
	struct cursor *b = &run->b;
	uint64_t reg;

	if (op == DW_CFA_expression || op == DW_CFA_val_expression) {
		set_expression(run, op == DW_CFA_val_expression);
		return true;
	}
	/* All other operations begin with the register. */
	reg = dwarf_uleb(b);
	switch (op) {
	case DW_CFA_offset_extended:
		set_register(run, reg, CFI_OFFSET, scale_offset(run, dwarf_uleb(b)));
		return true;
	case DW_CFA_offset_extended_sf:
		set_register(run, reg, CFI_OFFSET, scale_offset(run, dwarf_sleb(b)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set_register(run, reg, CFI_OFFSET, scale_offset(run, -dwarf_uleb(b)));
		return true;
	case DW_CFA_val_offset:
		set_val_offset(run, reg, scale_offset(run, dwarf_uleb(b)));
		return true;
	case DW_CFA_val_offset_sf:
		set_val_offset(run, reg, scale_offset(run, dwarf_sleb(b)));
		return true;
	case DW_CFA_restore_extended:
		restore_register(run, reg);
		return true;
	case DW_CFA_undefined:
		set_register(run, reg, CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_register(run, reg, CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		set_register(run, reg, CFI_REGISTER, dwarf_uleb(b) & INT64_MAX);
		return true;
	}
	return false;
}

static void remember_state(struct run *run)
{
	if (run->nr_remembered == REMEMBERED_MAX)
		run->b.bad = true;
	else
		run->remembered[run->nr_remembered++] = run->state;
}

static void restore_state(struct run *run)
{
	if (!run->nr_remembered)
		run->b.bad = true;
	else
		run->state = run->remembered[--run->nr_remembered];
}

/*
 * Runs the instruction @op, which has no operand in its low six bits. A result other than 0 ends
 * the run.
 */
static int run_other(struct run *run, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		return 0;
	case DW_CFA_set_loc:
		return set_loc(run);
	case DW_CFA_advance_loc1:
		return advance_scaled(run, dwarf_u8(&run->b));
	case DW_CFA_advance_loc2:
		return advance_scaled(run, dwarf_fixed(&run->b, 2));
	case DW_CFA_advance_loc4:
		return advance_scaled(run, dwarf_fixed(&run->b, 4));
	case DW_CFA_remember_state:
		remember_state(run);
		return 0;
	case DW_CFA_restore_state:
		restore_state(run);
		return 0;
	case DW_CFA_AARCH64_negate_ra_state: /* PLAIN_RETURN takes signed addresses, too */
		run->b.bad |= !RETURN_IS_KEPT;
		return 0;
	case DW_CFA_GNU_args_size:
		dwarf_uleb(&run->b);
		return 0;
	}
	if (!run_cfa(run, op) && !run_register(run, op))
		run->b.bad = true;
	return 0;
}

/*
 * Runs to the end, or to the malformed place of the program. A result other than 0 ended the run
 * before that.
 */
static int run_all(struct run *run)
{
	int ret = 0;

	while (!ret && !run->b.bad && run->b.p < run->b.end) {
		uint8_t op = dwarf_u8(&run->b), operand = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			ret = advance_scaled(run, operand);
			break;
		case DW_CFA_offset:
			set_register(run, operand, CFI_OFFSET,
				     scale_offset(run, dwarf_uleb(&run->b)));
			break;
		case DW_CFA_restore:
			restore_register(run, operand);
			break;
		default:
			ret = run_other(run, op);
		}
	}
	return ret;
}

bool cfi_run_initial(struct cfi_cie *cie, struct cursor b)
{
	struct run run;

	run.b = b;
	run.cie = cie;
	run.is_initial = true;
	run.state = (struct cfi_state){0};
	run.nr_remembered = 0;
	run_all(&run);
	if (run.b.bad)
		return false;
	cie->initial = run.state;
	return true;
}

int cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, cfi_row_fn *row, void *ctx)
{
	struct unwind_rule rule = {.cfa = UNWIND_CFA_SIGNAL};
	const uint8_t *bytes = cfi->section.bytes;
	struct run run;
	int ret;

	/*
	 * Assigns member by member: an initialiser would clear the remembered states for each
	 * function.
	 */
	run.b = (struct cursor){bytes + fde->program, bytes + fde->program_end, false};
	run.section = &cfi->section;
	run.cie = &cfi->cies.data[fde->cie];
	run.is_initial = false;
	run.state = run.cie->initial;
	run.nr_remembered = 0;
	run.addr = fde->start;
	run.end = fde->end;
	run.row = row;
	run.ctx = ctx;
	if (run.cie->fields.is_signal)
		return row(ctx, fde->start, &rule);
	ret = run_all(&run);
	if (ret)
		return ret < 0 ? ret : 0;
	if (run.b.bad)
		rule.cfa = UNWIND_CFA_UNSUPPORTED;
	else
		make_rule(&run, &rule);
	return row(ctx, run.addr, &rule);
}
