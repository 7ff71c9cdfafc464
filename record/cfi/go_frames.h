/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for code of Go, from .gopclntab (elf/go_table.h). For each function the linker writes a
 * program that says how far the stack pointer is below the return address, prologues and epilogues
 * included. The runtime walks stacks by it. Runs in the table child.
 */
#ifndef RECORD_CFI_GO_FRAMES_H
#define RECORD_CFI_GO_FRAMES_H

#include "elf/go_table.h"
#include "record/cfi/go_rows.h"

/* Has the table flags of functions? Those of the runtime's assembler have one since Go 1.18. */
bool go_frames_have_flags(const struct go_table *table);

/* Reads function @i. Returns false if nothing is known of it. */
bool go_frames_function(const struct go_table *table, uint64_t i, struct go_function *function);

/*
 * Makes the rows of @function, whose end may have been clipped, as cfi_run does. @codes are the
 * instructions of the functions that have such a kind. *@nr_steps counts the steps of programs,
 * which functions may share. Returns 0, the result of @row that ended the run, or -EFBIG if there
 * are too many steps.
 */
int go_frames_run(const struct go_table *table, const struct go_code codes[static GO_NR_CODES],
		  const struct go_function *function, uint64_t *nr_steps, cfi_row_fn *row,
		  void *ctx);

#endif
