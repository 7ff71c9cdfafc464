/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for code that no call frame information covers, from its instructions: musl has none at
 * all, some assembler has none, and lld and mold write none for their PLTs. Functions begin at
 * symbols, at the headers of PLTs, at targets of calls, at addresses that code takes, and after the
 * end of another function. The last two are guesses. From there on, what instructions do
 * to the stack is followed along all jumps. If two ways lead to one instruction with different
 * stacks, or anything is not known, the function has no rules, but no guess takes the rules of a
 * function that is none. Runs in the table child.
 */
#ifndef RECORD_CFI_CODE_FRAMES_H
#define RECORD_CFI_CODE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/walk/unwind.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/cfi/code_step.h"

/* Code of a file that is read at most. The C library musl has 0.6 MB. Fuzzing takes less. */
#ifndef CODE_BYTES_MAX
#define CODE_BYTES_MAX (8u << 20)
#endif

/* Less than this between two functions is padding. */
#define CODE_GAP_BYTES 16

/* Code at [start, start + size), as linked. */
struct code_gap {
	uint64_t start;
	uint32_t size;
	uint32_t first; /* its place among all bytes */
};

/* What tells that a function begins. */
enum code_begin {
	CODE_SYMBOL, /* or the entry, or the header of a PLT */
	CODE_CALLED,
	CODE_TAKEN, /* something takes its address */
	CODE_SWEPT, /* another function has ended */
};

/* Where code is followed from a beginning. */
struct code_function {
	uint64_t addr;
	enum code_begin begin;
	bool is_bad;  /* it has no rules */
	bool returns; /* or leaves by a jump to another function */
	bool joins;   /* the code of another function, which may return */
	bool jumps_far;
};

/* From @addr on, @rule holds. */
struct code_row {
	uint64_t addr;
	struct unwind_rule rule;
};

struct code_frames {
	/* In: */
	VEC(struct code_gap) gaps; /* sorted */
	VEC(uint8_t) bytes;        /* of all gaps */
	VEC(uint64_t) starts;      /* of functions, by symbols and sections of stubs */
	VEC(uint64_t) taken;       /* addresses that other code calls or takes */
	uint64_t entry;            /* where a process begins; 0: nowhere */
	/* Out: */
	VEC(struct code_row) rows; /* sorted; the last of each stretch of code says nothing */
	/* Of the search: */
	VEC(struct code_state) states;
	VEC(struct code_visit) visits;
	VEC(uint64_t) candidates; /* addresses that code takes */
	VEC(uint64_t) called;     /* by code that is no guess */
	VEC(struct code_function) functions;
	struct index by_state;
	struct code_mark *marks; /* of each byte */
};

/* Makes the rows. Returns 0 or -ENOMEM. */
int code_frames_make(struct code_frames *frames);

void code_frames_deinit(struct code_frames *frames);

#endif
