/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of JSON (RFC 8259). */
#ifndef REPORT_TEXT_JSON_TEXT_H
#define REPORT_TEXT_JSON_TEXT_H

#include "report/text/textbuf.h"

/* Appends the UTF-8 text @s in quotes. */
void json_string(struct textbuf *out, const char *s);

/* Appends the bytes of @s in quotes, after they are made safe to print. */
void json_escaped(struct textbuf *out, const char *s);

#endif
