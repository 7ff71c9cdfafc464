/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF expressions in call frame information. Tables cannot compute. So only the few shapes are
 * known that linkers, compilers and OpenSSL's assembly write. Runs in the table child.
 */
#ifndef RECORD_CFI_CFI_EXPR_H
#define RECORD_CFI_CFI_EXPR_H

#include "record/cfi/cfi.h"
#include "elf/dwarf_bytes.h"

/* The CFA that the expression @b computes; UNWIND_CFA_UNSUPPORTED when its shape is unknown. */
struct cfi_cfa cfi_expr_cfa(struct cursor b);

/* Where a register is saved by the expression @b: CFI_FP or CFI_OTHER. */
struct cfi_register cfi_expr_register(struct cursor b);

#endif
