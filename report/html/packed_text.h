/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes as text for a page: raw DEFLATE (RFC 1951) in base64 (RFC 4648). A browser inflates them by
 * itself. None of the 65 characters means anything in HTML or in a script, so no name can leave the
 * data.
 */
#ifndef REPORT_HTML_PACKED_TEXT_H
#define REPORT_HTML_PACKED_TEXT_H

#include <stddef.h>

#include "report/text/textbuf.h"

/* Appends the @len bytes at @bytes to @out, packed. Returns 0 or -ENOMEM. */
int packed_text_print(struct textbuf *out, const void *bytes, size_t len);

#endif
