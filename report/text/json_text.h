/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings and members of JSON (RFC 8259). */
#ifndef REPORT_TEXT_JSON_TEXT_H
#define REPORT_TEXT_JSON_TEXT_H

#include <stdint.h>

#include "report/text/textbuf.h"

/* Appends the UTF-8 text @s in quotes. */
void json_string(struct textbuf *out, const char *s);

/* Appends the bytes of @s in quotes, after they are made safe to print. */
void json_escaped(struct textbuf *out, const char *s);

/* Appends a member and a comma: "key":"value", or "key":value. */
void json_text_member(struct textbuf *out, const char *key, const char *value);
void json_number_member(struct textbuf *out, const char *key, uint64_t value);

#endif
