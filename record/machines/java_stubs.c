// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_stubs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "common/minmax.h"

/* Segments that are looked at. HotSpot makes its stubs when it starts, so they come first. */
#define SEGMENTS_MAX (256u << 10)

#define BLOCKS_MAX 4096

/* Longest name of a block. */
#define STUB_NAME_BYTES 64

/* Bytes of the map of segments that are read at once. */
#define MAP_BYTES 4096

struct stubs {
	const struct machine_memory *memory;
	const struct java_machine *m;
	const struct java_heap *heap;
	FILE *out;
	uint32_t nr_blocks, nr_written;
};

/* The heap with the interpreter has the stubs, too. */
static const struct java_heap *find_heap(const struct java_machine *m)
{
	for (int i = 0; i < MAX_JAVA_HEAPS; i++)
		if (m->interpreter_begin >= m->heaps[i].low &&
		    m->interpreter_begin < m->heaps[i].high)
			return &m->heaps[i];
	return NULL;
}

static uint64_t number_at(const uint8_t *blob, uint8_t off, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, blob + min_u64(off, JAVA_BLOB_BYTES - size), size);
	return number;
}

/* Reads the name, up to a character that is none of ASCII. Returns false if there is none. */
static bool read_name(const struct stubs *s, uint64_t at, char name[static STUB_NAME_BYTES + 1])
{
	long nr = s->memory->read(s->memory->ctx, at, name, STUB_NAME_BYTES);
	long len = 0;

	while (len < nr && name[len] >= ' ' && name[len] <= '~')
		len++;
	name[len] = '\0';
	return len > 0;
}

/* Methods have words of their own in stacks. */
static bool is_method(const char *name)
{
	return !strcmp(name, "nmethod") || !strcmp(name, "native nmethod");
}

static void write_block(struct stubs *s, uint64_t block)
{
	const struct java_machine *m = s->m;
	uint8_t blob[JAVA_BLOB_BYTES];
	char name[STUB_NAME_BYTES + 1];
	uint64_t begin, end;

	s->nr_blocks++;
	if (machine_memory_read(s->memory, block, blob, sizeof(blob)) ||
	    !read_name(s, number_at(blob, m->blob_name, 8), name) || is_method(name))
		return;
	if (m->code_is_offset) {
		begin = block + number_at(blob, m->blob_code_begin, 4);
		end = block + number_at(blob, m->blob_code_end, 4);
	} else {
		begin = number_at(blob, m->blob_code_begin, 8);
		end = number_at(blob, m->blob_code_end, 8);
	}
	if (begin < s->heap->low || end > s->heap->high || begin >= end)
		return;
	s->nr_written++;
	fprintf(s->out, "%" PRIx64 " %" PRIx64 " %s\n", begin, end - begin, name);
}

/* Writes the blocks that begin in @nr segments from @first on. */
static void write_segments(struct stubs *s, uint64_t first, const uint8_t *map, long nr)
{
	for (long i = 0; i < nr && s->nr_blocks < BLOCKS_MAX; i++)
		if (!map[i])
			write_block(s, s->heap->low + ((first + i) << s->heap->shift) +
					       s->m->block_header);
}

int java_stubs_write(const struct machine_memory *memory, const struct java_machine *m, FILE *out)
{
	struct stubs s = {.memory = memory, .m = m, .heap = find_heap(m), .out = out};
	uint64_t nr;
	uint8_t map[MAP_BYTES];

	if (!s.heap)
		return -ENOENT;
	nr = min_u64((s.heap->high - s.heap->low) >> (s.heap->shift & 31), SEGMENTS_MAX);
	for (uint64_t at = 0; at < nr && s.nr_blocks < BLOCKS_MAX; at += sizeof(map)) {
		long got = memory->read(memory->ctx, s.heap->map + at, map,
					min_u64(nr - at, sizeof(map)));

		if (got <= 0)
			break;
		write_segments(&s, at, map, got);
	}
	if (!s.nr_written)
		return -ENOENT;
	/* One of many stubs in its block is in nearly each stack: that by which C++ calls Java. */
	if (m->call_stub_return)
		fprintf(out, "%" PRIx64 " 1 call_stub\n", (uint64_t)m->call_stub_return - 1);
	return 0;
}
