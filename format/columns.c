// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/columns.h"

#include <inttypes.h>

void columns_begin(struct columns *cols, unsigned int nr)
{
	cols->nr = nr;
	for (unsigned int i = 0; i <= nr; i++)
		bytes_clear(&cols->part[i]);
}

int columns_finish(struct columns *cols)
{
	for (unsigned int i = 1; i <= cols->nr; i++) {
		if (cols->part[i].err)
			return cols->part[i].err;
		bytes_varint(&cols->part[0], cols->part[i].nr);
	}
	return cols->part[0].err;
}

void columns_deinit(struct columns *cols)
{
	for (unsigned int i = 0; i <= COLUMNS_MAX; i++)
		vec_free(&cols->part[i]);
}

int columns_split(struct cursor *payload, struct cursor *cols, unsigned int nr, struct fault *fault)
{
	uint64_t lengths[COLUMNS_MAX];

	for (unsigned int i = 0; i < nr; i++)
		lengths[i] = cursor_varint(payload);
	for (unsigned int i = 0; i < nr; i++) {
		cols[i] = cursor_sub(payload, lengths[i]);
		if (payload->bad)
			return fault_corrupt(fault, "column %u exceeds the section", i);
	}
	if (cursor_left(payload))
		return fault_corrupt(fault, "%zu bytes too many", cursor_left(payload));
	return 0;
}

int columns_check_done(const struct cursor *cols, unsigned int nr, struct fault *fault)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (cols[i].bad)
			return fault_corrupt(fault, "column %u is malformed", i);
		if (cursor_left(&cols[i]))
			return fault_corrupt(fault, "column %u has %zu bytes too many", i,
					     cursor_left(&cols[i]));
	}
	return 0;
}

int columns_check_rows(const struct cursor *col, uint64_t nr, uint64_t limit, const char *what,
		       struct fault *fault)
{
	if (nr > limit)
		return fault_corrupt(fault, "%" PRIu64 " %s exceed the limit of %" PRIu64, nr, what,
				     limit);
	if (nr > cursor_left(col))
		return fault_corrupt(fault, "%" PRIu64 " %s do not fit in %zu bytes", nr, what,
				     cursor_left(col));
	return 0;
}
