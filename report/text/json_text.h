/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of JSON (RFC 8259). */
#ifndef REPORT_TEXT_JSON_TEXT_H
#define REPORT_TEXT_JSON_TEXT_H

#include "report/text/textbuf.h"

/* Appends the UTF-8 text @s in quotes. Characters that nobody sees have JSON's escapes. */
void json_string(struct textbuf *out, const char *s);

/* Appends the bytes of @s in quotes, after they are escaped. */
void json_escaped(struct textbuf *out, const char *s, enum text_mode mode);

#endif
