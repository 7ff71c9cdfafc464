// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table begins with struct line_table. After that come, in this order: a pointer to the first
 * place of each function, and one to the end of the places; the places, which are addresses of
 * code; the names of files; and for each place its file and line.
 */
#include "record/machines/beam_lines.h"

#include <stdbool.h>
#include <string.h>

#include "common/minmax.h"

struct line_table {
	uint64_t names;
	int32_t line_bytes; /* 2 or 4 */
	int32_t reserved;
	uint64_t lines;
};

/* The number of the file is above the line. File 0 is the module's own. */
#define LINE_BITS 24

/* A function that has a line has a place straight before it. Its own beginning is aligned. */
#define FUNCTION_ALIGNMENT 8

/* Names of files are lists, with a character in each cell. */
#define CHARACTERS_MAX  1024
#define CELL_BYTES      16
#define LIST_TAG_MASK   3
#define LIST_TAG        1
#define NUMBER_TAG_MASK 15
#define NUMBER_TAG      15
#define NUMBER_SHIFT    4
#define EMPTY_LIST      0x3b
#define CHARACTER_LAST  0x10ffff

/* The cells of a list are adjacent, so as many are read at once as a page has. */
#define WINDOW_BYTES 256
struct cells {
	const struct machine_memory *memory;
	uint64_t start;
	uint8_t bytes[WINDOW_BYTES];
};

/* Reads the cell at @addr: the value and the rest of the list. */
static int read_cell(struct cells *c, uint64_t addr, uint64_t cell[2])
{
	uint64_t off = addr % WINDOW_BYTES;

	if (off > WINDOW_BYTES - CELL_BYTES)
		return machine_memory_read(c->memory, addr, cell, CELL_BYTES);
	if (c->start != addr - off) {
		int ret = machine_memory_read(c->memory, addr - off, c->bytes, WINDOW_BYTES);

		c->start = ret ? UINT64_MAX : addr - off;
		if (ret)
			return ret;
	}
	memcpy(cell, c->bytes + off, CELL_BYTES);
	return 0;
}

/* Reads the characters of the list @value. Returns their number; 0 if it is no name. */
static size_t read_characters(const struct machine_memory *memory, uint64_t value,
			      uint32_t characters[CHARACTERS_MAX])
{
	struct cells cells = {.memory = memory, .start = UINT64_MAX};
	uint64_t cell[2];
	size_t nr = 0;

	for (; value != EMPTY_LIST; value = cell[1]) {
		uint64_t c;

		if (nr == CHARACTERS_MAX || (value & LIST_TAG_MASK) != LIST_TAG ||
		    read_cell(&cells, value - LIST_TAG, cell))
			return 0;
		c = cell[0] >> NUMBER_SHIFT;
		if ((cell[0] & NUMBER_TAG_MASK) != NUMBER_TAG || !c || c > CHARACTER_LAST)
			return 0;
		characters[nr++] = c;
	}
	return nr;
}

/* Reads the list @value, a path. Of a long one the end is kept. Returns false if it is none. */
static bool read_path(const struct machine_memory *memory, uint64_t value,
		      struct language_text *path)
{
	uint32_t characters[CHARACTERS_MAX];
	size_t nr = read_characters(memory, value, characters), size = 1, first;

	for (size_t i = 0; i < nr; i++)
		if (characters[i] > UINT8_MAX)
			size = sizeof(*characters);
	first = nr - min_u64(nr, NAME_BYTES / size);
	*path = (struct language_text){
		.kind = size, .nr_bytes = size * (nr - first), .is_cut = first > 0};
	for (size_t i = first; i < nr; i++)
		memcpy(path->bytes + size * (i - first), &characters[i], size);
	return nr > 0;
}

/* The file of @module is "module.erl". A name that has no room for that is left alone. */
static void name_own_file(const struct language_text *module, struct language_text *file)
{
	static const char end[] = ".erl";
	size_t nr = strlen(end);

	if (module->is_cut || module->nr_bytes + nr > NAME_BYTES)
		return;
	*file = *module;
	memcpy(file->bytes + file->nr_bytes, end, nr);
	file->nr_bytes += nr;
}

static int read_inside(const struct machine_memory *memory, const struct beam_code *code,
		       uint64_t addr, void *buf, size_t len)
{
	if (addr < code->begin || addr >= code->end || code->end - addr < len)
		return -EFAULT;
	return machine_memory_read(memory, addr, buf, len);
}

/* Finds the place of @code's function. *@place is its number. */
static bool find_place(const struct machine_memory *memory, const struct beam_code *code,
		       uint64_t table, uint64_t *place)
{
	uint64_t starts = table + sizeof(struct line_table);
	uint64_t places = starts + UINT64_C(8) * (code->nr + UINT64_C(1)), of[2], addr;

	if (read_inside(memory, code, starts + UINT64_C(8) * code->index, of, sizeof(of)) ||
	    of[0] < places || of[0] >= of[1] || (of[0] - places) % 8 ||
	    read_inside(memory, code, of[0], &addr, sizeof(addr)))
		return false;
	*place = (of[0] - places) / 8;
	return code->function - addr < FUNCTION_ALIGNMENT;
}

/* Reads the name of file @nr. */
static bool read_file(const struct machine_memory *memory, const struct beam_code *code,
		      const struct line_table *table, uint32_t nr,
		      struct machine_function *function)
{
	uint64_t name;

	if (!nr) {
		name_own_file(&function->class, &function->file);
		return true;
	}
	return table->names < table->lines && nr < (table->lines - table->names) / 8 &&
	       !read_inside(memory, code, table->names + UINT64_C(8) * nr, &name, sizeof(name)) &&
	       read_path(memory, name, &function->file);
}

void beam_line_read(const struct machine_memory *memory, const struct beam_code *code,
		    uint64_t table, struct machine_function *function)
{
	struct machine_function read = *function;
	struct line_table head;
	uint64_t at, place;
	uint32_t line = 0;

	if (read_inside(memory, code, code->begin + table, &at, sizeof(at)) ||
	    read_inside(memory, code, at, &head, sizeof(head)) ||
	    (head.line_bytes != 2 && head.line_bytes != 4) ||
	    !find_place(memory, code, at, &place) ||
	    read_inside(memory, code, head.lines + place * head.line_bytes, &line, head.line_bytes))
		return;
	read.line = line & ((1u << LINE_BITS) - 1);
	if (read.line && read_file(memory, code, &head, line >> LINE_BITS, &read))
		*function = read;
}
