// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/table_lines.h"

#include <errno.h>
#include <inttypes.h>

#include "common/io.h"

#define READ_BYTES ((size_t)128 << 10)

/* Packed text can grow without end, so all have limits: of a line, and of a file. */
#define LINE_BYTES_MAX ((size_t)1 << 20)
#define FILE_BYTES_MAX (UINT64_C(8) << 30)
#define WINDOW_LOG_MAX 25 /* 32 MiB; profrep needs 2 */

static int refuse(const struct table_lines *lines, const char *reason, struct err *err)
{
	return err_set(err, -EINVAL, "failed to read '%s': %s", lines->name, reason);
}

int table_lines_refuse(const struct table_lines *lines, const char *reason, struct err *err)
{
	return err_set(err, -EINVAL, "failed to read '%s': line %" PRIu64 " %s", lines->name,
		       lines->nr_lines, reason);
}

int table_lines_open(struct table_lines *lines, int fd, const char *name, uint32_t nr_fields,
		     struct err *err)
{
	*lines = (struct table_lines){
		.fd = fd,
		.name = name,
		.nr_fields = nr_fields,
		.context = ZSTD_createDCtx(),
		.packed.fd = -1,
		.text.fd = -1,
		.is_whole = true,
	};
	if (!lines->context || !textbuf_reserve(&lines->packed, READ_BYTES) ||
	    !textbuf_reserve(&lines->text, READ_BYTES))
		return err_set(err, -ENOMEM, "failed to read '%s': out of memory", name);
	ZSTD_DCtx_setParameter(lines->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return 0;
}

void table_lines_close(struct table_lines *lines)
{
	ZSTD_freeDCtx(lines->context);
	textbuf_deinit(&lines->packed);
	textbuf_deinit(&lines->text);
}

/* Reads packed bytes. Returns 1, 0 at the end, or a negative errno with @err set. */
static int fill(struct table_lines *lines, struct err *err)
{
	ssize_t nr = io_read(lines->fd, lines->packed.data, READ_BYTES);

	if (nr < 0)
		return err_set(err, (int)nr, "failed to read '%s': %s", lines->name,
			       strerror((int)-nr));
	lines->packed.nr = nr;
	lines->nr_used = 0;
	if (!nr && !lines->is_whole)
		return refuse(lines, "it is cut short", err);
	return nr > 0;
}

/* Unpacks more text. Returns like fill. */
static int unpack(struct table_lines *lines, struct err *err)
{
	ZSTD_inBuffer in;
	ZSTD_outBuffer out;
	size_t ret;

	if (lines->nr_used == lines->packed.nr && lines->is_whole) {
		int filled = fill(lines, err);

		if (filled <= 0)
			return filled;
	}
	if (!textbuf_reserve(&lines->text, READ_BYTES))
		return err_set(err, -ENOMEM, "failed to read '%s': out of memory", lines->name);
	in = (ZSTD_inBuffer){lines->packed.data, lines->packed.nr, lines->nr_used};
	out = (ZSTD_outBuffer){lines->text.data, lines->text.nr + READ_BYTES, lines->text.nr};
	ret = ZSTD_decompressStream(lines->context, &out, &in);
	if (ZSTD_isError(ret))
		return refuse(lines, ZSTD_getErrorName(ret), err);
	lines->is_whole = !ret;
	lines->nr_used = in.pos;
	lines->nr_bytes += out.pos - lines->text.nr;
	if (lines->nr_bytes > FILE_BYTES_MAX)
		return refuse(lines, "it is larger than 8 GiB", err);
	if (out.pos == lines->text.nr && in.pos == in.size && ret)
		return fill(lines, err);
	lines->text.nr = out.pos;
	return 1;
}

/* Reads up to the end of a line. Returns like fill, with *@len set if it returns 1. */
static int find_line(struct table_lines *lines, size_t *len, struct err *err)
{
	size_t looked_at = 0;

	for (;;) {
		const char *start = lines->text.data + lines->start;
		size_t nr = lines->text.nr - lines->start;
		const char *end =
			nr > looked_at ? memchr(start + looked_at, '\n', nr - looked_at) : NULL;
		int ret;

		if (end) {
			*len = end - start;
			return 1;
		}
		if (nr > LINE_BYTES_MAX)
			return refuse(lines, "a line is longer than 1 MiB", err);
		looked_at = nr;
		if (lines->start) {
			memmove(lines->text.data, start, nr);
			lines->text.nr = nr;
			lines->start = 0;
		}
		ret = unpack(lines, err);
		if (ret < 0 || (!ret && !nr))
			return ret;
		if (!ret)
			return refuse(lines, "its last line has no end", err);
	}
}

int table_lines_next(struct table_lines *lines, struct table_field fields[TABLE_FIELDS_MAX],
		     struct err *err)
{
	size_t len = 0;
	int ret = find_line(lines, &len, err);
	const char *s = lines->text.data + lines->start;
	uint32_t nr = 0;

	if (ret <= 0)
		return ret;
	lines->start += len + 1;
	lines->nr_lines++;
	for (const char *end = s + len;; s++) {
		const char *tab = memchr(s, '\t', end - s);

		fields[nr++] = (struct table_field){s, (tab ? tab : end) - s};
		if (!tab || nr == lines->nr_fields)
			return !tab && nr == lines->nr_fields
				       ? 1
				       : table_lines_refuse(lines,
							    "has not the fields of the table", err);
		s = tab;
	}
}

bool table_field_u64(const struct table_field *field, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < field->len; i++) {
		if (field->s[i] < '0' || field->s[i] > '9' ||
		    __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, field->s[i] - '0', &sum))
			return false;
	}
	*value = sum;
	return field->len;
}

bool table_field_is(const struct table_field *field, const char *text)
{
	return field->len == strlen(text) && !memcmp(field->s, text, field->len);
}
