// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/minmax.h"

#define CHUNK_BYTES ((size_t)64 << 10)

struct arena_chunk {
	struct arena_chunk *before;
	char bytes[];
};

static int add_chunk(struct arena *arena, size_t at_least)
{
	size_t size = max_u64(at_least, CHUNK_BYTES);
	struct arena_chunk *chunk;

	if (size > SIZE_MAX - sizeof(*chunk))
		return -1;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return -1;
	chunk->before = arena->chunk;
	arena->chunk = chunk;
	arena->used = 0;
	arena->size = size;
	arena->total += size;
	return 0;
}

char *arena_alloc(struct arena *arena, size_t size)
{
	char *p;

	if (!arena->chunk || size > arena->size - arena->used)
		if (add_chunk(arena, size))
			return NULL;
	p = arena->chunk->bytes + arena->used;
	arena->used += size;
	return p;
}

char *arena_copy(struct arena *arena, const char *s, size_t len)
{
	char *p = len < SIZE_MAX ? arena_alloc(arena, len + 1) : NULL;

	if (!p)
		return NULL;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void arena_deinit(struct arena *arena)
{
	while (arena->chunk) {
		struct arena_chunk *before = arena->chunk->before;

		free(arena->chunk);
		arena->chunk = before;
	}
	*arena = (struct arena){0};
}
