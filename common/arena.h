/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An arena keeps many small texts that live and die together: names, labels, lines. It hands them
 * out from large chunks and releases all of them at once.
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zero is an empty arena. */
struct arena {
	struct arena_chunk *chunk; /* the newest chunk; each chunk points to the one before */
	size_t used, size;         /* bytes of the newest chunk */
	size_t total;              /* bytes of all chunks */
};

/* Returns @size bytes, not aligned and not initialised, or NULL if memory runs out. */
char *arena_alloc(struct arena *arena, size_t size);

/* Copies @len bytes of @s and adds a NUL. Returns NULL if memory runs out. */
char *arena_copy(struct arena *arena, const char *s, size_t len);

/* Releases everything. The empty arena can be used again. */
void arena_deinit(struct arena *arena);

#endif
