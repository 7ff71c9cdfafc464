// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/packed_rows.h"

#include <errno.h>
#include <string.h>

#include "common/io.h"

/* Rows resemble each other so much that higher levels gain little and take far longer. */
#define PACKING_LEVEL 1

int packed_rows_init(struct packed_rows *rows)
{
	*rows = (struct packed_rows){.text.fd = -1, .context = ZSTD_createCCtx()};
	if (!rows->context)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(rows->context, ZSTD_c_compressionLevel, PACKING_LEVEL);
	ZSTD_CCtx_setParameter(rows->context, ZSTD_c_checksumFlag, 1);
	return 0;
}

void packed_rows_deinit(struct packed_rows *rows)
{
	ZSTD_freeCCtx(rows->context);
	textbuf_deinit(&rows->text);
	vec_free(&rows->packed);
	*rows = (struct packed_rows){.text.fd = -1};
}

int packed_rows_pack(struct packed_rows *rows, bool is_last)
{
	ZSTD_inBuffer in = {rows->text.data, rows->text.nr, 0};
	size_t left = 0;

	if (rows->text.error)
		return rows->text.error;
	do {
		ZSTD_outBuffer out;

		if (vec_reserve(&rows->packed, ZSTD_CStreamOutSize()))
			return -ENOMEM;
		out = (ZSTD_outBuffer){rows->packed.data, rows->packed.cap, rows->packed.nr};
		left = ZSTD_compressStream2(rows->context, &out, &in,
					    is_last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -ENOMEM;
		rows->packed.nr = out.pos;
	} while (in.pos < in.size || (is_last && left));
	rows->text.nr = 0;
	return 0;
}

void packed_rows_field(struct textbuf *out, const char *s)
{
	textbuf_escaped(out, s, strlen(s), TEXT_FIELD);
	textbuf_char(out, '\t');
}

int packed_rows_write(struct packed_rows *rows, int fd)
{
	int ret = io_write_all(fd, rows->packed.data, rows->packed.nr);

	bytes_clear(&rows->packed);
	return ret;
}
