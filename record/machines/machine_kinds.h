/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of machines: virtual machines of languages, which make code while they run. A process
 * has at most one. What is done with a machine is the same for all kinds, and how it is read is in
 * the kind's functions. V8 is a machine of which the program need not be told: the looker alone
 * reads it, to complete names.
 */
#ifndef RECORD_MACHINES_MACHINE_KINDS_H
#define RECORD_MACHINES_MACHINE_KINDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/languages/source_function.h"
#include "record/machines/beam_machine.h"
#include "record/machines/java_machine.h"
#include "record/machines/java_scopes.h"
#include "record/machines/machine_memory.h"
#include "record/machines/node_inlined.h"

enum machine_kind_number {
	MACHINE_JAVA,
	MACHINE_BEAM,
	NR_MACHINE_KINDS, /* of which the program is told */
	MACHINE_NODE = NR_MACHINE_KINDS,
	NR_NAMING_KINDS,
};

/* What is kept between functions of JavaScript in one look. All zero at its beginning. */
struct node_look {
	struct node_lines lines;
	uint32_t nr_candidates;
	struct machine_function inlined[NODE_MAX_INLINED];
};

/* The machine of a process. Each kind begins with what the BPF program is told. */
struct machine {
	uint32_t pid;
	uint32_t kind; /* enum machine_kind_number */
	uint32_t item; /* in the shares of struct machines */
	union {
		struct {
			struct java_machine machine;
			struct java_layout layout;
		} java;
		struct {
			struct beam_machine machine;
			struct beam_tables tables;
		} beam;
		struct {
			struct node_layout layout;
			struct node_look *look; /* which sets it */
		} node;
	};
};

/* Where a function is. */
union machine_place {
	struct java_place java; /* without a block: pc is the word */
	uint64_t beam;          /* the word */
	struct node_place node;
};

/*
 * Takes a function of a place, the innermost first. Returns 0 or a negative errno, which ends it.
 */
typedef int (*machine_function_fn)(void *ctx, const struct machine_function *function);

struct machine_kind {
	uint32_t language; /* enum language, of the interpreter that has such a machine */

	/*
	 * Both run in the looker. Reads the machine whose library or program is @in, with offset 0
	 * of the file at @base. Returns 0; -EAGAIN if it has not begun yet; -ENOTSUP if it is
	 * another one than those that are known; or another negative errno. NULL: its file tells
	 * all that there is to know.
	 */
	int (*read)(const struct machine_memory *memory, const struct interpreter *in,
		    uint64_t base, struct machine *machine);
	/*
	 * Calls @take for the functions at @place: the function itself, after those that the
	 * compiler has put into each other there. The own one of JavaScript has a line alone.
	 * Returns 0, the error of @take, or another negative errno, after which those that were
	 * taken are of no use.
	 */
	int (*name)(const struct machine_memory *memory, const struct machine *machine,
		    const union machine_place *place, machine_function_fn take, void *ctx);
	/*
	 * Writes the names of code that is no function's to @out, a line for each as in a perf map.
	 * Returns 0 or a negative errno. NULL: there is no such code.
	 */
	int (*describe)(const struct machine_memory *memory, const struct machine *machine,
			FILE *out);
};

extern const struct machine_kind machine_kinds[NR_NAMING_KINDS];

/* Returns the number of the kind that an interpreter of @language has, or NR_NAMING_KINDS. */
uint32_t machine_kind_of(uint32_t language);

#endif
