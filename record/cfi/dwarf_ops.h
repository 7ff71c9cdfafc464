/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF's numbers in call frame information. They are from DWARF 5, figures 7.7 to 7.9 and 7.29.
 * <dwarf.h> belongs to libdw, which is not needed otherwise.
 */
#ifndef RECORD_CFI_DWARF_OPS_H
#define RECORD_CFI_DWARF_OPS_H

/* Instructions; the first three have an operand in their low six bits. */
enum {
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_nop = 0,
	DW_CFA_set_loc = 0x01,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_offset_sf = 0x15,
	DW_CFA_val_expression = 0x16,
	DW_CFA_AARCH64_negate_ra_state = 0x2d,
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f,
};

/* Operations of expressions. */
enum {
	DW_OP_deref = 0x06,
	DW_OP_and = 0x1a,
	DW_OP_mul = 0x1e,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_ge = 0x2a,
	DW_OP_lit0 = 0x30,
	DW_OP_lit3 = DW_OP_lit0 + 3,
	DW_OP_lit8 = DW_OP_lit0 + 8,
	DW_OP_lit15 = DW_OP_lit0 + 15,
	DW_OP_lit31 = DW_OP_lit0 + 31,
	DW_OP_breg0 = 0x70,
	DW_OP_breg16 = DW_OP_breg0 + 16,
	DW_OP_breg31 = DW_OP_breg0 + 31,
};

#endif
