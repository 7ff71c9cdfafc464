/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of one step of a function's program (record/cfi/go_frames.h). The architecture has them:
 * it decides what prologues and epilogues do. Runs in the table child.
 */
#ifndef RECORD_CFI_GO_ROWS_H
#define RECORD_CFI_GO_ROWS_H

#include "record/cfi/cfi.h"
#include "record/cfi/go_code.h"

/* How the rules of a function are made. */
enum go_kind {
	GO_PLAIN,
	GO_INJECTED,  /* the runtime makes a goroutine call it where a signal has hit that */
	GO_ROOT,      /* it has no caller */
	GO_SETS_SP,   /* it leaves its stack, and the frame pointer stays */
	GO_LEAVES_SP, /* it leaves its stack for good where its frame is largest: nobody returns */
	GO_FROM_SIGNAL, /* a signal handler returns here */
	GO_CODE /* and those behind: as GO_SETS_SP, and this + enum go_code_kind has instructions */
};

struct go_function {
	uint64_t start, end; /* as linked */
	uint32_t program;    /* offset among the programs */
	uint32_t kind;       /* enum go_kind */
};

/* A run of a program. */
struct go_run {
	const struct go_function *function;
	const struct go_code *codes;
	uint64_t start, end; /* of the step at hand */
	int64_t frame;       /* bytes between the stack pointer and where it was at the entry */
	int64_t largest;     /* frame so far */
	int64_t first;       /* the first frame */
	cfi_row_fn *row;
	void *ctx;
};

/* From @addr on, @rule holds, unless the step ends before. Returns 0 or the result of the row. */
static inline int go_run_put(const struct go_run *run, uint64_t addr, struct unwind_rule rule)
{
	return addr < run->end ? run->row(run->ctx, addr, &rule) : 0;
}

/* Puts the rows of the step at hand, of a function that has callers. Returns as above. */
int go_rows_put(const struct go_run *run);

#endif
