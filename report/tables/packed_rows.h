/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a table as zstd packs them: a text of lines, whose fields a tab separates. Text in a
 * field is escaped as profrep prints it, so no field has a tab or a newline, and all are UTF-8.
 * Frames of zstd that follow each other are one file.
 */
#ifndef REPORT_TABLES_PACKED_ROWS_H
#define REPORT_TABLES_PACKED_ROWS_H

#include <zstd.h>

#include "format/bytes.h"
#include "report/text/textbuf.h"

/* packed_rows_init makes them. */
struct packed_rows {
	struct textbuf text; /* to write to; packed_rows_next packs it now and then */
	struct bytes packed;
	ZSTD_CCtx *context;
};

/* Returns 0 or -ENOMEM. */
int packed_rows_init(struct packed_rows *rows);

/* All-zero rows are fine. */
void packed_rows_deinit(struct packed_rows *rows);

/* Packs all text, and ends the frame if @is_last. Returns 0 or -ENOMEM. */
int packed_rows_pack(struct packed_rows *rows, bool is_last);

/* Text that is packed at once. */
#define PACKED_ROWS_TEXT (256u << 10)

/* Call it after a row. Packs the text if there is enough of it. Returns 0 or -ENOMEM. */
static inline int packed_rows_next(struct packed_rows *rows)
{
	return rows->text.nr < PACKED_ROWS_TEXT ? 0 : packed_rows_pack(rows, false);
}

/* Appends the text of a field, and the tab after it. */
void packed_rows_field(struct textbuf *out, const char *s);

/* Writes the bytes that are packed to @fd, and forgets them. Returns 0 or a negative errno. */
int packed_rows_write(struct packed_rows *rows, int fd);

#endif
