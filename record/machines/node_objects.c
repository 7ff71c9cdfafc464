// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/node_objects.h"

#include <errno.h>

#include "common/minmax.h"

/* Words of a string, and its type (src/objects/string.tq, instance-type.h). */
enum string_word { STRING_MAP, STRING_LENGTH, STRING_FIRST, STRING_SECOND, NR_STRING_WORDS };
enum string_form { STRING_SEQUENCE, STRING_CONS, STRING_EXTERNAL, STRING_SLICED, STRING_THIN = 5 };
#define STRING_TYPES    128
#define STRING_FORM     7
#define STRING_ONE_BYTE 8
#define STRING_UNCACHED 16 /* an external string that does not say where its characters are */
#define STRING_HOPS     5  /* strings that refer to each other */

uint16_t node_type_of(const struct machine_memory *m, uint64_t map)
{
	uint16_t type;

	if (!NODE_IS_OBJECT(map) ||
	    machine_memory_read(m, map - NODE_TAG + NODE_MAP_TYPE, &type, sizeof(type)))
		return NODE_NO_TYPE;
	return type;
}

uint32_t node_array_length(const struct machine_memory *m, uint64_t array, uint32_t most)
{
	uint64_t length;

	if (machine_memory_read(m, array + 8, &length, sizeof(length)) || !NODE_IS_SMALL(length) ||
	    NODE_SMALL_VALUE(length) > most)
		return 0;
	return NODE_SMALL_VALUE(length);
}

/* The second part of a string, unless it is empty. */
static uint64_t part_of(const struct machine_memory *m, const uint64_t words[NR_STRING_WORDS],
			struct node_text *text)
{
	uint64_t second[STRING_FIRST];

	if (!NODE_IS_OBJECT(words[STRING_SECOND]) ||
	    machine_memory_read(m, words[STRING_SECOND] - NODE_TAG, second, sizeof(second)) ||
	    !NODE_SMALL_VALUE(second[STRING_LENGTH]))
		return words[STRING_FIRST];
	text->is_tail = true;
	return words[STRING_SECOND];
}

int node_text_find(const struct machine_memory *m, uint64_t string, struct node_text *text)
{
	uint64_t words[NR_STRING_WORDS], skip = 0, most = UINT32_MAX;

	text->is_tail = false;
	for (uint32_t i = 0; i < STRING_HOPS; i++) {
		uint16_t type;

		if (!NODE_IS_OBJECT(string))
			return -ENODATA;
		if (machine_memory_read(m, string - NODE_TAG, words, sizeof(words)))
			return -EFAULT;
		type = node_type_of(m, words[STRING_MAP]);
		if (type >= STRING_TYPES)
			return -ENODATA;
		text->begin = string - NODE_TAG + 8 * STRING_FIRST;
		text->nr = NODE_SMALL_VALUE(words[STRING_LENGTH]);
		text->is_wide = !(type & STRING_ONE_BYTE);
		string = words[STRING_FIRST];
		switch (type & STRING_FORM) {
		case STRING_EXTERNAL:
			if (type & STRING_UNCACHED)
				return -ENODATA;
			text->begin = words[STRING_SECOND];
			/* fallthrough */
		case STRING_SEQUENCE:
			text->begin += skip << text->is_wide;
			text->nr = min_u64(text->nr - min_u64(skip, text->nr), most);
			return 0;
		case STRING_SLICED:
			most = min_u64(text->nr - min_u64(skip, text->nr), most);
			skip += NODE_SMALL_VALUE(words[STRING_SECOND]);
			break;
		case STRING_CONS:
			string = part_of(m, words, text);
			break;
		case STRING_THIN:
			break;
		default:
			return -EBADMSG;
		}
	}
	return -EBADMSG;
}
