/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text on its way out: a large buffer in front of a file descriptor, or a text in memory. Errors
 * are sticky: after the first, nothing is written and textbuf_flush returns it.
 */
#ifndef REPORT_TEXT_TEXTBUF_H
#define REPORT_TEXT_TEXTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/text.h"

/* Start with {.fd = ...}; fd -1 keeps everything in memory. */
struct textbuf {
	int fd;
	char *data; /* not NUL-terminated */
	size_t nr, cap;
	int error; /* 0 or a negative errno */
};

/* Releases the buffer, written or not. The file descriptor is the caller's. */
void textbuf_deinit(struct textbuf *out);

/* Makes room for @len more bytes. Returns false, and notes the error, when there is none. */
bool textbuf_reserve(struct textbuf *out, size_t len);

/* Writes what is buffered. Returns 0 or the first error, a negative errno. */
int textbuf_flush(struct textbuf *out);

/* Notes @error, a negative errno, unless there was one before. */
static inline void textbuf_fail(struct textbuf *out, int error)
{
	out->error = out->error ? out->error : error;
}

void textbuf_u64(struct textbuf *out, uint64_t value);
void textbuf_printf(struct textbuf *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends @s with what must not be printed escaped. */
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
