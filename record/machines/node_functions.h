/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name, the file and the line of a function of JavaScript, by its SharedFunctionInfo, as
 * bpf/languages/node_frames.h does for functions that have a frame. All memory belongs to the
 * process, which may lie: texts have limits, and an object of another type is none.
 */
#ifndef RECORD_MACHINES_NODE_FUNCTIONS_H
#define RECORD_MACHINES_NODE_FUNCTIONS_H

#include "record/languages/source_function.h"
#include "record/machines/node_lines.h"

/* Where V8 has the description of a function, and what it says first. */
struct node_function {
	uint64_t name;   /* a string, or the ScopeInfo that has it */
	uint64_t script; /* the address of the Script; 0: it has none */
	uint32_t flags, number;
};

/*
 * Reads the SharedFunctionInfo at @shared. Returns 0, -ESTALE if something else is there, or
 * -EFAULT.
 */
int node_function_read(const struct machine_memory *memory, const struct node_layout *layout,
		       uint64_t shared, struct node_function *function);

/*
 * Reads the position of @function in its text, and its name if @name is not NULL. Returns 0;
 * -ENODATA if the position is not known; -ESTALE or -EFAULT if the name cannot be read.
 */
int node_function_name(const struct machine_memory *memory, const struct node_layout *layout,
		       const struct node_function *function, struct language_text *name,
		       uint32_t *position);

/* Reads all that there is to know of the SharedFunctionInfo at @shared. Returns as both above. */
int node_function_describe(const struct machine_memory *memory, const struct node_layout *layout,
			   struct node_lines *notes, uint64_t shared,
			   struct machine_function *described);

#endif
