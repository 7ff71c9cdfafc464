// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/node_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/minmax.h"

/* Words of a Script (src/objects/script.tq). */
enum script_word {
	SCRIPT_MAP,
	SCRIPT_SOURCE,
	SCRIPT_LINE_OFFSET = 3,
	SCRIPT_LINE_ENDS = 7,
	SCRIPT_ID,
	NR_SCRIPT_WORDS,
};

/* Words of a string, and its type (src/objects/string.tq, instance-type.h). */
enum string_word { STRING_MAP, STRING_LENGTH, STRING_FIRST, STRING_OFFSET, NR_STRING_WORDS };
enum string_form { STRING_SEQUENCE, STRING_CONS, STRING_EXTERNAL, STRING_SLICED, STRING_THIN = 5 };
#define STRING_TYPES    128
#define STRING_FORM     7
#define STRING_ONE_BYTE 8
#define STRING_UNCACHED 16 /* an external string that does not say where its characters are */
#define STRING_HOPS     5  /* strings that refer to each other */

/* A FixedArray has its length after the map. */
#define ARRAY_HEAD 16
#define ARRAY_MAX  (1u << 24)

/* Objects have the lowest bits 01, small numbers their value in the upper half. */
#define TAG_MASK       3
#define TAG            1
#define IS_SMALL(w)    (!(uint32_t)(w))
#define SMALL_VALUE(w) ((uint32_t)((w) >> 32))
#define MAP_TYPE       12

#define NO_TYPE 0xffff

/* Bytes of text that are read at a time. */
#define CHUNK 16384

/* Characters in the process's memory. */
struct text {
	uint64_t begin, nr;
	bool is_wide;
};

static uint16_t type_of(const struct machine_memory *m, uint64_t map)
{
	uint16_t type;

	if ((map & TAG_MASK) != TAG ||
	    machine_memory_read(m, map - TAG + MAP_TYPE, &type, sizeof(type)))
		return NO_TYPE;
	return type;
}

/* The first line whose end is not before @position, counted from 0, by the array at @ends. */
static int search_ends(const struct machine_memory *m, uint64_t ends, uint32_t position,
		       uint32_t *line)
{
	uint64_t length, first = 0, left;

	if (machine_memory_read(m, ends + 8, &length, sizeof(length)))
		return -EFAULT;
	left = SMALL_VALUE(length);
	if (!IS_SMALL(length) || left > ARRAY_MAX)
		return -EBADMSG;
	while (left) {
		uint64_t half = left / 2, end;

		if (machine_memory_read(m, ends + ARRAY_HEAD + 8 * (first + half), &end,
					sizeof(end)))
			return -EFAULT;
		if (SMALL_VALUE(end) >= position) {
			left = half;
		} else {
			first += half + 1;
			left -= half + 1;
		}
	}
	*line = first;
	return 0;
}

/* Goes from the string at @string to its characters. */
static int find_text(const struct machine_memory *m, uint64_t string, struct text *text)
{
	uint64_t words[NR_STRING_WORDS], skip = 0;

	for (uint32_t i = 0; i < STRING_HOPS; i++) {
		uint16_t type;

		if ((string & TAG_MASK) != TAG)
			return -ENODATA;
		if (machine_memory_read(m, string - TAG, words, sizeof(words)))
			return -EFAULT;
		type = type_of(m, words[STRING_MAP]);
		if (type >= STRING_TYPES)
			return -ENODATA;
		*text = (struct text){.begin = string - TAG + 8 * STRING_FIRST,
				      .nr = SMALL_VALUE(words[STRING_LENGTH]),
				      .is_wide = !(type & STRING_ONE_BYTE)};
		switch (type & STRING_FORM) {
		case STRING_EXTERNAL:
			if (type & STRING_UNCACHED)
				return -ENODATA;
			text->begin = words[STRING_OFFSET];
			/* fallthrough */
		case STRING_SEQUENCE:
			text->begin += skip << text->is_wide;
			text->nr -= min_u64(skip, text->nr);
			return 0;
		case STRING_SLICED:
			skip += SMALL_VALUE(words[STRING_OFFSET]);
			break;
		case STRING_CONS: /* V8 has joined it: the second one is empty */
		case STRING_THIN:
			break;
		default:
			return -EBADMSG;
		}
		string = words[STRING_FIRST];
	}
	return -EBADMSG;
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

/* The number of lines that end before @position. */
static int count_lines(const struct machine_memory *m, const struct text *text, uint32_t position,
		       uint32_t *line)
{
	const uint32_t wide = text->is_wide, most = CHUNK >> wide;
	uint16_t chunk[CHUNK / 2 + 1];

	if (position >= text->nr || position > NODE_TEXT_MAX)
		return -EBADMSG;
	*line = 0;
	for (uint32_t at = 0; at < position; at += most) {
		size_t nr = min_u64(position - at, most);

		/* And the next character, which is there. */
		if (machine_memory_read(m, text->begin + ((uint64_t)at << wide), chunk,
					(nr + 1) << wide))
			return -EFAULT;
		*line += wide ? count_wide(chunk, nr) : count_narrow((const uint8_t *)chunk, nr);
	}
	return 0;
}

static int read_script(const struct machine_memory *m, const struct node_layout *layout,
		       const struct node_position *at, uint64_t words[NR_SCRIPT_WORDS])
{
	if (machine_memory_read(m, at->script, words, NR_SCRIPT_WORDS * sizeof(*words)))
		return -EFAULT;
	return type_of(m, words[SCRIPT_MAP]) == layout->script_type && IS_SMALL(words[SCRIPT_ID]) &&
			       SMALL_VALUE(words[SCRIPT_ID]) == at->id
		       ? 0
		       : -ESTALE;
}

/* Has the collector moved the string or the array at @object meanwhile? Then its map has gone. */
static bool is_there(const struct machine_memory *m, uint64_t object, uint64_t map)
{
	uint64_t now;

	return !machine_memory_read(m, object - TAG, &now, sizeof(now)) && now == map;
}

static int find_line(const struct machine_memory *m, const struct node_layout *layout,
		     const uint64_t words[NR_SCRIPT_WORDS], uint32_t position, uint32_t *line)
{
	uint64_t object = words[SCRIPT_LINE_ENDS], map;
	struct text text;
	int ret;

	if ((object & TAG_MASK) == TAG && !machine_memory_read(m, object - TAG, &map, 8) &&
	    type_of(m, map) == layout->array_type) {
		ret = search_ends(m, object - TAG, position, line);
	} else {
		object = words[SCRIPT_SOURCE];
		if ((object & TAG_MASK) != TAG || machine_memory_read(m, object - TAG, &map, 8))
			return -ENODATA;
		ret = find_text(m, object, &text);
		if (!ret)
			ret = count_lines(m, &text, position, line);
	}
	return ret || is_there(m, object, map) ? ret : -ESTALE;
}

int node_line_find(const struct machine_memory *memory, const struct node_layout *layout,
		   const struct node_position *at, uint32_t *line)
{
	uint64_t words[NR_SCRIPT_WORDS], after[NR_SCRIPT_WORDS];
	int ret = layout->array_type ? read_script(memory, layout, at, words) : -ENODATA;

	if (!ret)
		ret = find_line(memory, layout, words, at->position, line);
	if (!ret)
		ret = read_script(memory, layout, at, after);
	if (ret)
		return ret;
	/* Lines of a part of a file count from the part's place in it. */
	*line += 1 +
		 (IS_SMALL(words[SCRIPT_LINE_OFFSET]) ? SMALL_VALUE(words[SCRIPT_LINE_OFFSET]) : 0);
	return 0;
}
