// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/check.h"
#include "format/tables.h"

/* Head: number of symbols. */
enum {
	COL_OBJECT, /* difference to the previous symbol's */
	COL_OFFSET, /* difference within an object, else the offset */
	COL_SIZE,
	COL_NAME, /* difference to the previous symbol's, zigzag */
	NR_COLS,
};

static int symbols_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t object = 0, offset = 0, name = 0;

	bytes_varint(columns_head(cols), e->nr_symbols);
	for (uint32_t i = 0; i < e->nr_symbols; i++) {
		const struct prof_symbol *symbol = &e->symbols[order->symbol_old[i]];
		uint64_t string = order->string_new[symbol->name];

		bytes_varint(columns_col(cols, COL_OBJECT), symbol->object - object);
		bytes_varint(columns_col(cols, COL_OFFSET),
			     symbol->offset - (symbol->object == object ? offset : 0));
		bytes_varint(columns_col(cols, COL_SIZE), symbol->size);
		bytes_varint(columns_col(cols, COL_NAME), zigzag_encode(string - name));
		object = symbol->object;
		offset = symbol->offset;
		name = string;
	}
	return 0;
}

static int symbols_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t object = 0, offset = 0, name = 0;
	struct cursor *cols = in->cols;
	int ret = table_resize(&tables->symbols, in->head[0], fault);

	if (ret)
		return ret;
	for (size_t i = 0; i < tables->symbols.nr; i++) {
		uint64_t object_diff = cursor_varint(&cols[COL_OBJECT]);
		uint64_t offset_diff = cursor_varint(&cols[COL_OFFSET]);
		uint64_t size = cursor_varint(&cols[COL_SIZE]);

		name += zigzag_decode(cursor_varint(&cols[COL_NAME]));
		if (object_diff >= tables->objects.nr - object)
			return fault_corrupt(fault, "symbol %zu: object is out of range", i);
		if (object_diff)
			offset = 0;
		object += object_diff;
		if (__builtin_add_overflow(offset, offset_diff, &offset) ||
		    !range_is_valid(offset, size))
			return fault_corrupt(fault, "symbol %zu exceeds its object", i);
		if (name >= tables->strings.nr)
			return fault_corrupt(
				fault, "symbol %zu: string %" PRIu64 " is out of range", i, name);
		tables->symbols.data[i] = (struct prof_symbol){object, name, offset, size};
	}
	return 0;
}

TABLE_CODEC(symbols, .type = SECTION_SYMBOLS, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"symbols", PROF_MAX_TABLE, COL_OBJECT}});
