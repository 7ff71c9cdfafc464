/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for many small texts that live and die together: names, labels, lines. Handed out from
 * large chunks, released all at once.
 */
#ifndef REPORT_TEXT_ARENA_H
#define REPORT_TEXT_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zero is an empty arena. */
struct arena {
	struct arena_chunk *chunk; /* the newest; each points to the one before */
	size_t used, size;         /* bytes of the newest */
	size_t total;              /* bytes of all chunks */
};

/* Returns @size bytes, not aligned and not initialised, or NULL when memory is out. */
char *arena_alloc(struct arena *arena, size_t size);

/* Copies @len bytes of @s and adds a NUL. NULL when memory is out. */
char *arena_copy(struct arena *arena, const char *s, size_t len);

/* Releases everything; the arena is then empty and usable. */
void arena_deinit(struct arena *arena);

#endif
