// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_lines.h"

#include "record/machines/unsigned5.h"

/* A pair in one byte has the difference of lines in the lowest bits. */
#define PAIR_LINE_BITS 3
#define PAIR_END       0
#define PAIR_LONG      0xff /* the two differences follow */

/* Java's class files have 16 bits for each. */
#define MAX_INDEX 65535
#define MAX_LINE  65535

static bool read_pair(struct unsigned5 *in, int32_t *index, int32_t *line)
{
	uint8_t byte = *in->at++;
	uint32_t by_index = byte >> PAIR_LINE_BITS;
	uint32_t by_line = byte & ((1u << PAIR_LINE_BITS) - 1);

	if (byte == PAIR_LONG) {
		if (!unsigned5_read(in, &by_index) || !unsigned5_read(in, &by_line))
			return false;
		by_index = unsigned5_signed(by_index);
		by_line = unsigned5_signed(by_line);
	}
	/* Wrapped numbers are out of range. */
	*index = (int32_t)((uint32_t)*index + by_index);
	*line = (int32_t)((uint32_t)*line + by_line);
	return *index >= 0 && *index <= MAX_INDEX && *line >= 0 && *line <= MAX_LINE;
}

uint32_t java_lines_first(const uint8_t *table, size_t nr, uint32_t version)
{
	struct unsigned5 in = unsigned5_of(table, table + nr, version);
	int32_t at = 0, line = 0;

	/* Pairs need not ascend. */
	while (in.at < in.end && *in.at != PAIR_END) {
		if (!read_pair(&in, &at, &line))
			return 0;
		if (!at)
			return line;
	}
	return 0;
}
