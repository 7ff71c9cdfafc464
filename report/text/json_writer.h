/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON (RFC 8259) value by value, and knows where commas belong. Keys are NULL in arrays.
 * Text of profiled processes is what they have, as far as it is UTF-8 (TEXT_DATA), with JSON's
 * escapes.
 */
#ifndef REPORT_TEXT_JSON_WRITER_H
#define REPORT_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "report/text/textbuf.h"

struct json {
	struct textbuf *out;
	bool has_item; /* the object or array that is open has one */
	bool is_shown; /* a page shows text as it is here: escaped as on terminals (TEXT_PLAIN) */
};

/* Begins and ends an object or an array. @bracket is one of {[ and of ]}. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* Begins a value, which the caller appends to the text. */
void json_key(struct json *json, const char *key);

/*
 * Appends a value: json_put_text of any bytes, json_put_printed of text as it is on a terminal,
 * whose escapes are taken back, json_put_safe of UTF-8 that stays as it is.
 */
void json_put_text(struct json *json, const char *key, const char *bytes);
void json_put_printed(struct json *json, const char *key, const char *text);
void json_put_safe(struct json *json, const char *key, const char *text);
void json_put_number(struct json *json, const char *key, uint64_t value);
void json_put_bool(struct json *json, const char *key, bool value);
void json_put_null(struct json *json, const char *key);

/* Appends a number; null if it is not finite. */
void json_put_double(struct json *json, const char *key, double value);

#endif
