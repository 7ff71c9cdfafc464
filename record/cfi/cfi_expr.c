// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/cfi_expr.h"

#include "record/cfi/dwarf_ops.h"

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

struct cfi_cfa cfi_expr_cfa(struct cursor b)
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

struct cfi_register cfi_expr_register(struct cursor b)
{
	uint64_t reg;
	int64_t off;

	if (take_breg(&b, &reg, &off) && is_done(&b) && reg == UNWIND_REG_FP)
		return (struct cfi_register){.how = CFI_FP, .off = off};
	return (struct cfi_register){.how = CFI_OTHER};
}
