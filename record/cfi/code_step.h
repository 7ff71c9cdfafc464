/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an instruction does to the stack, and where it goes on. The architecture has it. Runs in the
 * table child.
 */
#ifndef RECORD_CFI_CODE_STEP_H
#define RECORD_CFI_CODE_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_NOT_KNOWN INT32_MIN

/* Before an instruction. Places are in bytes below the CFA. There is no padding. */
struct code_state {
	int32_t sp;         /* where sp points to; CODE_NOT_KNOWN */
	int32_t fp;         /* where fp points to; 0: it is not this function's */
	int32_t saved_fp;   /* the caller's fp; 0: not saved */
	int32_t saved_kept; /* the caller's value of UNWIND_REG_KEPT; 0: not saved */
	int32_t copy;       /* where copy_reg points to, which has been sp */
	/*
	 * fp has another value than the caller's, and so has UNWIND_REG_KEPT, if the return address
	 * begins there. Where the caller's is saved, neither tells anything.
	 */
	uint8_t has_lost_fp, has_lost_kept;
	uint8_t copy_reg; /* 0: there is no copy */
	uint8_t is_root;  /* nobody has called this code */
};

enum code_flow {
	CODE_GOES_ON,
	CODE_CALLS,     /* target, if it is known, and goes on */
	CODE_BRANCHES,  /* to target, or goes on */
	CODE_JUMPS,     /* to target */
	CODE_JUMPS_FAR, /* to a place that is not known, and may be of this function */
	CODE_LEAVES,    /* by a jump through memory, to another function */
	CODE_RETURNS,
	CODE_STOPS, /* traps */
};

struct code_step {
	uint32_t size; /* of the instruction */
	enum code_flow flow;
	uint64_t target; /* address; 0: not known */
	uint64_t refers; /* the address of something that it takes; 0: of nothing */
};

/*
 * The bytes that each instruction has, so that all can be found from any place in code; 0 if they
 * have different sizes.
 */
uint32_t code_insn_bytes(void);

/* The state at a function's entry. */
struct code_state code_state_at_entry(void);

/*
 * Goes over the instruction at @code, of which @size bytes follow and whose address is @addr.
 * *@state becomes that after it. Returns false if the instruction is not known, or does to the
 * stack what no state says; then *@state is of no use.
 */
bool code_step(const uint8_t *code, size_t size, uint64_t addr, struct code_state *state,
	       struct code_step *step);

/* The bytes of the padding between functions at @code; 0: none is there. */
uint32_t code_padding(const uint8_t *code, size_t size);

/*
 * The place, at @from or later in the @size bytes of @code, of code to which handlers of signals
 * return; @size if there is none. *@bytes is the length.
 */
size_t code_find_handler_return(const uint8_t *code, size_t size, size_t from, uint32_t *bytes);

/*
 * The place, at @from or later in the @size bytes of @code, of a PLT's header (PLT0), to which its
 * stubs jump if nothing is bound yet; @size if there is none. *@state is the state there: the stubs
 * have pushed a number.
 */
size_t code_find_plt_header(const uint8_t *code, size_t size, size_t from,
			    struct code_state *state);

#endif
