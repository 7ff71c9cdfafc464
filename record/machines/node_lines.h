/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of functions of JavaScript. V8 keeps the position of a function in the text of its
 * Script, and notes where lines end when it prints an error. The looker reads these notes, or
 * counts the lines of the text. All memory belongs to the process, which may lie: the work is
 * bounded, and a Script that has gone has no answer.
 */
#ifndef RECORD_MACHINES_NODE_LINES_H
#define RECORD_MACHINES_NODE_LINES_H

#include "record/machines/node_objects.h"

/* Characters that are counted at most: the line of a function further on is not known. */
#define NODE_TEXT_MAX (4u << 20)

/* Bytes that are read of texts in one look. */
#define NODE_LOOK_BYTES (8u << 20)

/* Texts of which is noted what was counted. */
#define NODE_TEXTS 16

/* Bytes of text that are read at a time. */
#define NODE_CHUNK 16384

struct node_position {
	uint64_t script; /* the address of the Script */
	uint32_t id;     /* its number */
	uint32_t position;
};

/* What was counted of a text. */
struct text_lines {
	uint64_t begin, nr_characters; /* of the text */
	uint32_t nr_chunks;            /* that were counted */
	/* Lines that end before a chunk, of which that of two-byte characters has the fewest. */
	uint32_t before[NODE_TEXT_MAX / (NODE_CHUNK / 2) + 1];
};

/* What was counted, for more functions of the same texts. All zero at the beginning of a look. */
struct node_lines {
	struct text_lines texts[NODE_TEXTS];
	uint32_t next;     /* the text that is forgotten next */
	uint32_t nr_bytes; /* that were read in this look */
};

/*
 * Finds the line of @at. Returns 0; -ESTALE if the Script is not there any more; -ENODATA if it
 * has no text; -EBADMSG if it contradicts itself, or the text is too long; -E2BIG if the look has
 * read enough; or -EFAULT.
 */
int node_line_find(const struct machine_memory *memory, const struct node_layout *layout,
		   struct node_lines *notes, const struct node_position *at, uint32_t *line);

#endif
