/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of functions of JavaScript. V8 keeps the position of a function in the text of its
 * Script, and notes where lines end when it prints an error. The looker reads these notes, or
 * counts the lines of the text. All memory belongs to the process, which may lie: the work is
 * bounded, and a Script that has gone has no answer.
 */
#ifndef RECORD_MACHINES_NODE_LINES_H
#define RECORD_MACHINES_NODE_LINES_H

#include "bpf/languages/languages.h"
#include "record/machines/machine_memory.h"

/* Characters that are counted at most: the line of a function further on is not known. */
#define NODE_TEXT_MAX (4u << 20)

struct node_position {
	uint64_t script; /* the address of the Script */
	uint32_t id;     /* its number */
	uint32_t position;
};

/*
 * Finds the line of @at. Returns 0; -ESTALE if the Script is not there any more; -ENODATA if it
 * has no text; -EBADMSG if it contradicts itself, or the text is too long; or -EFAULT.
 */
int node_line_find(const struct machine_memory *memory, const struct node_layout *layout,
		   const struct node_position *at, uint32_t *line);

#endif
