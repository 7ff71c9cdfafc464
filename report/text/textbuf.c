// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/textbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/decimal.h"
#include "common/io.h"

/* The buffer gathers this many bytes before a write. */
#define BUFFER_BYTES ((size_t)256 << 10)

void textbuf_deinit(struct textbuf *out)
{
	free(out->data);
	out->data = NULL;
	out->nr = out->cap = 0;
}

static void write_buffer(struct textbuf *out)
{
	if (!out->error)
		out->error = io_write_all(out->fd, out->data, out->nr);
	out->nr = 0;
}

bool textbuf_reserve(struct textbuf *out, size_t len)
{
	size_t cap = out->cap ? out->cap : BUFFER_BYTES;
	char *data;

	if (out->fd >= 0 && out->nr >= BUFFER_BYTES / 2)
		write_buffer(out);
	if (out->error)
		return false;
	while (cap - out->nr < len && cap <= SIZE_MAX / 2)
		cap *= 2;
	if (cap == out->cap)
		return true;
	data = cap - out->nr >= len ? realloc(out->data, cap) : NULL;
	if (!data) {
		out->error = -ENOMEM;
		return false;
	}
	out->data = data;
	out->cap = cap;
	return true;
}

int textbuf_flush(struct textbuf *out)
{
	if (out->fd >= 0)
		write_buffer(out);
	return out->error;
}

void textbuf_u64(struct textbuf *out, uint64_t value)
{
	char digits[DECIMAL_DIGITS];

	textbuf_bytes(out, digits, decimal_put(digits, value));
}

void textbuf_printf(struct textbuf *out, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		text = NULL;
		textbuf_fail(out, -ENOMEM);
		return;
	}
	textbuf_bytes(out, text, len);
}

void textbuf_escaped(struct textbuf *out, const char *s, size_t len, enum text_mode mode)
{
	_cleanup_free_ char *text = text_escape(s, len, mode);

	if (!text) {
		textbuf_fail(out, -ENOMEM);
		return;
	}
	textbuf_str(out, text);
}
