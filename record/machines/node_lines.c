// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/node_lines.h"

#include <errno.h>

/* Words of a Script (src/objects/script.tq). */
enum script_word {
	SCRIPT_MAP,
	SCRIPT_SOURCE,
	SCRIPT_LINE_OFFSET = 3,
	SCRIPT_LINE_ENDS = 7,
	SCRIPT_ID,
	NR_SCRIPT_WORDS,
};

#define ARRAY_MAX (1u << 24)

/* The first line whose end is not before @position, counted from 0, by the array at @ends. */
static int search_ends(const struct machine_memory *m, uint64_t ends, uint32_t position,
		       uint32_t *line)
{
	uint64_t first = 0, left = node_array_length(m, ends, ARRAY_MAX);

	if (!left)
		return -EBADMSG;
	while (left) {
		uint64_t half = left / 2, end;

		if (machine_memory_read(m, ends + NODE_ARRAY_HEAD + 8 * (first + half), &end,
					sizeof(end)))
			return -EFAULT;
		if (NODE_SMALL_VALUE(end) >= position) {
			left = half;
		} else {
			first += half + 1;
			left -= half + 1;
		}
	}
	*line = first;
	return 0;
}

/* Does a line end at @c, which @next follows? These are all that end lines in JavaScript. */
static bool is_line_end(uint32_t c, uint32_t next)
{
	return c == '\n' || (c == '\r' && next != '\n') || (c & ~1u) == 0x2028;
}

static uint32_t count_narrow(const uint8_t *c, size_t nr)
{
	uint32_t lines = 0;

	for (size_t i = 0; i < nr; i++)
		lines += is_line_end(c[i], c[i + 1]);
	return lines;
}

static uint32_t count_wide(const uint16_t *c, size_t nr)
{
	uint32_t lines = 0;

	for (size_t i = 0; i < nr; i++)
		lines += is_line_end(c[i], c[i + 1]);
	return lines;
}

/*
 * Reads the @nr characters from @at on, and the next one. Adds to *@lines how many lines end in
 * them.
 */
static int count_chunk(const struct machine_memory *m, const struct node_text *text,
		       struct node_lines *notes, uint32_t at, uint32_t nr, uint32_t *lines)
{
	const uint32_t wide = text->is_wide, nr_bytes = (nr + 1) << wide;
	uint16_t chunk[NODE_CHUNK / 2 + 1];

	if (nr_bytes > NODE_LOOK_BYTES - notes->nr_bytes)
		return -E2BIG;
	notes->nr_bytes += nr_bytes;
	if (machine_memory_read(m, text->begin + ((uint64_t)at << wide), chunk, nr_bytes))
		return -EFAULT;
	*lines += wide ? count_wide(chunk, nr) : count_narrow((const uint8_t *)chunk, nr);
	return 0;
}

/* The notes of @text, in place of older ones if there are none yet. */
static struct text_lines *notes_of(struct node_lines *notes, const struct node_text *text)
{
	struct text_lines *lines = notes->texts;

	for (uint32_t i = 0; i < NODE_TEXTS; i++)
		if (lines[i].begin == text->begin && lines[i].nr_characters == text->nr)
			return &lines[i];
	lines += notes->next++ % NODE_TEXTS;
	*lines = (struct text_lines){.begin = text->begin, .nr_characters = text->nr};
	return lines;
}

/*
 * The number of lines that end before @position. Notes the numbers before whole chunks, for other
 * functions of the text.
 */
static int count_lines(const struct machine_memory *m, const struct node_text *text,
		       struct node_lines *notes, uint32_t position, uint32_t *line)
{
	const uint32_t most = NODE_CHUNK >> text->is_wide;
	struct text_lines *lines;

	if (position >= text->nr || position > NODE_TEXT_MAX || text->is_tail)
		return -EBADMSG;
	lines = notes_of(notes, text);
	while (lines->nr_chunks < position / most) {
		uint32_t *before = &lines->before[lines->nr_chunks];
		int ret;

		before[1] = before[0];
		ret = count_chunk(m, text, notes, lines->nr_chunks * most, most, &before[1]);
		if (ret)
			return ret;
		lines->nr_chunks++;
	}
	*line = lines->before[position / most];
	return count_chunk(m, text, notes, position / most * most, position % most, line);
}

static int read_script(const struct machine_memory *m, const struct node_layout *layout,
		       const struct node_position *at, uint64_t words[NR_SCRIPT_WORDS])
{
	if (machine_memory_read(m, at->script, words, NR_SCRIPT_WORDS * sizeof(*words)))
		return -EFAULT;
	return node_type_of(m, words[SCRIPT_MAP]) == layout->script_type &&
			       NODE_IS_SMALL(words[SCRIPT_ID]) &&
			       NODE_SMALL_VALUE(words[SCRIPT_ID]) == at->id
		       ? 0
		       : -ESTALE;
}

/* Has the collector moved the string or the array at @object meanwhile? Then its map has gone. */
static bool is_there(const struct machine_memory *m, uint64_t object, uint64_t map)
{
	uint64_t now;

	return !machine_memory_read(m, object - NODE_TAG, &now, sizeof(now)) && now == map;
}

static int find_line(const struct machine_memory *m, const struct node_layout *layout,
		     const uint64_t words[NR_SCRIPT_WORDS], struct node_lines *notes,
		     uint32_t position, uint32_t *line)
{
	uint64_t object = words[SCRIPT_LINE_ENDS], map;
	struct node_text text;
	int ret;

	if (NODE_IS_OBJECT(object) && !machine_memory_read(m, object - NODE_TAG, &map, 8) &&
	    node_type_of(m, map) == layout->array_type) {
		ret = search_ends(m, object - NODE_TAG, position, line);
	} else {
		object = words[SCRIPT_SOURCE];
		if (!NODE_IS_OBJECT(object) || machine_memory_read(m, object - NODE_TAG, &map, 8))
			return -ENODATA;
		ret = node_text_find(m, object, &text);
		if (!ret)
			ret = count_lines(m, &text, notes, position, line);
	}
	return ret || is_there(m, object, map) ? ret : -ESTALE;
}

int node_line_find(const struct machine_memory *memory, const struct node_layout *layout,
		   struct node_lines *notes, const struct node_position *at, uint32_t *line)
{
	uint64_t words[NR_SCRIPT_WORDS], after[NR_SCRIPT_WORDS], offset;
	int ret = layout->array_type ? read_script(memory, layout, at, words) : -ENODATA;

	if (!ret)
		ret = find_line(memory, layout, words, notes, at->position, line);
	if (!ret)
		ret = read_script(memory, layout, at, after);
	if (ret)
		return ret;
	/* Lines of a part of a file count from the part's place in it. */
	offset = words[SCRIPT_LINE_OFFSET];
	*line += 1 + (NODE_IS_SMALL(offset) ? NODE_SMALL_VALUE(offset) : 0);
	return 0;
}
