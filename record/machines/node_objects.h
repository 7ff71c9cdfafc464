/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects of V8 in the memory of a process, which may lie (bpf/languages/node_frames.h says what
 * words look like). Runs in the looker.
 */
#ifndef RECORD_MACHINES_NODE_OBJECTS_H
#define RECORD_MACHINES_NODE_OBJECTS_H

#include <stdbool.h>

#include "bpf/languages/languages.h"
#include "record/machines/machine_memory.h"

/* Objects have the lowest bits 01, small numbers their value in the upper half. */
#define NODE_TAG            1
#define NODE_IS_OBJECT(w)   (((w)&3) == NODE_TAG)
#define NODE_IS_SMALL(w)    (!(uint32_t)(w))
#define NODE_SMALL_VALUE(w) ((uint32_t)((w) >> 32))

#define NODE_MAP_TYPE 12
#define NODE_NO_TYPE  0xffff

/* An array has its length after the map, and then its elements. */
#define NODE_ARRAY_HEAD 16

/* The type of objects whose first word is @map; NODE_NO_TYPE if it cannot be read. */
uint16_t node_type_of(const struct machine_memory *m, uint64_t map);

/* The length of the array at @array; 0 if it cannot be read, or is above @most. */
uint32_t node_array_length(const struct machine_memory *m, uint64_t array, uint32_t most);

/* Characters of a string. */
struct node_text {
	uint64_t begin, nr;
	bool is_wide;
	bool is_tail; /* more are before them, in another string */
};

/*
 * Goes from the string at @string to its characters. Of two strings that are one, the second one
 * counts. Returns 0; -ENODATA if it is no string, or does not say where they are; -EBADMSG if
 * strings refer to each other without an end; or -EFAULT.
 */
int node_text_find(const struct machine_memory *m, uint64_t string, struct node_text *text);

#endif
