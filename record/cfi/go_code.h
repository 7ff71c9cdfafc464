/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of Go's runtime whose caller no table tells: they go on on another stack, and have no
 * frame of their own, or leave their frame pointer, too. Their instructions have the places of what
 * they save. Runs in the table child.
 */
#ifndef RECORD_CFI_GO_CODE_H
#define RECORD_CFI_GO_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/walk/unwind.h"

/* Longest of these functions, with room. */
#define GO_CODE_BYTES 256

enum go_code_kind {
	GO_SYSTEMSTACK,
	GO_ASMCGOCALL,
	GO_MORESTACK,
	GO_RACECALL,
	GO_MCALL,
	GO_CROSSCALL,
	GO_NR_CODES
};

struct go_code {
	uint64_t start; /* as linked */
	uint64_t size;  /* 0: there is none */
	uint8_t bytes[GO_CODE_BYTES];
};

/* The code in [start, end), as offsets in the function, in which @rule holds. */
struct go_stretch {
	uint32_t start, end;
	struct unwind_rule rule;
};

#define GO_STRETCHES_MAX 4

/* Where functions have frames, their programs tell what is outside of stretches. */
struct go_stretches {
	uint32_t own; /* before it, the function is on the stack of its caller */
	uint32_t nr;
	struct go_stretch all[GO_STRETCHES_MAX]; /* sorted */
	uint32_t own_again; /* from there on it is on that stack again; 0: nowhere */
};

/* The kind of the function @name, which may lack its NUL after @left bytes; or GO_NR_CODES. */
enum go_code_kind go_code_kind_of(const char *name, size_t left);

/*
 * Do the flags of functions have to be in the table? Without them, nothing tells which functions
 * are by the assembler.
 */
bool go_code_needs_flags(void);

/* Does the program of the function @name, which has these flags, tell where its caller is? */
bool go_code_is_told(const char *name, size_t left, uint8_t flags);

/* Reads the instructions of the function @kind. Returns false if they are unlike those known. */
bool go_code_read(const struct go_code codes[static GO_NR_CODES], enum go_code_kind kind,
		  struct go_stretches *stretches);

#endif
