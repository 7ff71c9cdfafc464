/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions at a place in code that V8 has made. Its compilers TurboFan and Maglev put
 * functions into their callers, and describe that for their own profiler: a table says which
 * position of the source each instruction is from, and in which inlined function. All memory
 * belongs to the process, which may lie: the work is bounded, and what contradicts itself is no
 * answer. Runs in the looker.
 */
#ifndef RECORD_MACHINES_NODE_INLINED_H
#define RECORD_MACHINES_NODE_INLINED_H

#include "record/machines/node_lines.h"

/* Functions that are put into each other at most. */
#define NODE_MAX_INLINED 32

/* Places in one look that seem to be the beginning of code. */
#define NODE_LOOK_CANDIDATES 4096

struct node_place {
	struct node_position function; /* which the frame belongs to */
	uint64_t pc;   /* the byte before its return address; 0: not a call in such code */
	uint64_t code; /* the check of the code there */
};

/*
 * Finds the functions that are put into that of @place there, the innermost first: the addresses
 * of their SharedFunctionInfos. Adds to *@nr_candidates, which is 0 at the beginning of a look.
 * Returns their number, or a negative errno: -ENOENT if nothing describes the code or the place,
 * -ESTALE if the code is another one than that of the place, -EBADMSG if it contradicts itself,
 * -E2BIG if the look has seen enough; or -EFAULT.
 */
int node_inlined_find(const struct machine_memory *memory, const struct node_layout *layout,
		      uint32_t *nr_candidates, const struct node_place *place,
		      uint64_t shared[NODE_MAX_INLINED]);

#endif
