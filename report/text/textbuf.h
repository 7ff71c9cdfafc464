/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text that is on its way to a file descriptor, through a large buffer, or a text in memory. The
 * first error sticks: after it, nothing is written, and textbuf_flush returns it.
 */
#ifndef REPORT_TEXT_TEXTBUF_H
#define REPORT_TEXT_TEXTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/text.h"

/* Start with {.fd = ...}. With fd -1 everything stays in memory. */
struct textbuf {
	int fd;
	char *data; /* not NUL-terminated */
	size_t nr, cap;
	int error; /* 0 or a negative errno */
};

/*
 * Releases the buffer; it may hold text that was not written. The caller keeps the file descriptor.
 */
void textbuf_deinit(struct textbuf *out);

/* Makes room for @len more bytes. Returns false, and notes the error, if memory runs out. */
bool textbuf_reserve(struct textbuf *out, size_t len);

/* Writes the buffered text. Returns 0 or the first error, a negative errno. */
int textbuf_flush(struct textbuf *out);

/* Notes @error, a negative errno, unless the buffer has an error already. */
static inline void textbuf_fail(struct textbuf *out, int error)
{
	out->error = out->error ? out->error : error;
}

void textbuf_u64(struct textbuf *out, uint64_t value);
void textbuf_printf(struct textbuf *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends @s; bytes that must not be printed are escaped. */
void textbuf_escaped(struct textbuf *out, const char *s, size_t len, enum text_mode mode);

static inline void textbuf_bytes(struct textbuf *out, const void *bytes, size_t len)
{
	if (len > out->cap - out->nr && !textbuf_reserve(out, len))
		return;
	if (len)
		memcpy(out->data + out->nr, bytes, len);
	out->nr += len;
}

static inline void textbuf_str(struct textbuf *out, const char *s)
{
	textbuf_bytes(out, s, strlen(s));
}

static inline void textbuf_char(struct textbuf *out, char c)
{
	textbuf_bytes(out, &c, 1);
}

#endif
