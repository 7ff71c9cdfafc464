// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/tables.h"

/* Head: number of strings without string 0, which is not stored. */
enum { COL_LENGTH, COL_BYTES, NR_COLS };

static int strings_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;

	bytes_varint(columns_head(cols), e->nr_strings - 1);
	for (uint32_t i = 1; i < e->nr_strings; i++) {
		const struct prof_string *string = &e->strings[order->string_old[i]];

		bytes_varint(columns_col(cols, COL_LENGTH), string->len);
		bytes_put(columns_col(cols, COL_BYTES), string->s, string->len);
	}
	return 0;
}

static int strings_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0];
	struct cursor *cols = in->cols;
	char *text;
	int ret = table_resize(&tables->strings, nr + 1, fault);

	/* In the decoded text, a NUL follows each string. */
	if (!ret)
		ret = table_resize(&tables->text, cursor_left(&cols[COL_BYTES]) + nr + 1, fault);
	if (ret)
		return ret;
	text = tables->text.data;
	*text = 0;
	tables->strings.data[0] = (struct prof_string){text++, 0};
	for (uint64_t i = 1; i <= nr; i++) {
		uint64_t len = cursor_varint(&cols[COL_LENGTH]);
		const uint8_t *bytes = cursor_bytes(&cols[COL_BYTES], len);

		if (!bytes)
			return fault_corrupt(fault, "string %" PRIu64 " exceeds the column", i);
		if (len > PROF_MAX_STRING_BYTES)
			return fault_corrupt(fault,
					     "string %" PRIu64 ": %" PRIu64
					     " bytes exceed the limit of %u",
					     i, len, PROF_MAX_STRING_BYTES);
		if (memchr(bytes, 0, len))
			return fault_corrupt(fault, "string %" PRIu64 " contains a NUL", i);
		tables->strings.data[i] = (struct prof_string){text, len};
		memcpy(text, bytes, len);
		text[len] = 0;
		text += len + 1;
	}
	return 0;
}

TABLE_CODEC(strings, .type = SECTION_STRINGS, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"strings", PROF_MAX_TABLE - 1, COL_LENGTH}});
