// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/json_writer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/text/json_text.h"

void json_key(struct json *json, const char *key)
{
	if (json->has_item)
		textbuf_char(json->out, ',');
	json->has_item = true;
	if (!key)
		return;
	json_string(json->out, key);
	textbuf_char(json->out, ':');
}

void json_open(struct json *json, const char *key, char bracket)
{
	bool is_item = !key && json->out->nr && bracket == '{';

	if (is_item && json->has_item)
		textbuf_char(json->out, ',');
	/* Objects of an array stand on lines of their own, for diff and grep. */
	if (is_item)
		textbuf_char(json->out, '\n');
	else
		json_key(json, key);
	textbuf_char(json->out, bracket);
	json->has_item = false;
}

void json_close(struct json *json, char bracket)
{
	textbuf_char(json->out, bracket);
	json->has_item = true;
}

void json_put_text(struct json *json, const char *key, const char *bytes)
{
	json_key(json, key);
	json_escaped(json->out, bytes, json->is_shown ? TEXT_PLAIN : TEXT_DATA);
}

void json_put_printed(struct json *json, const char *key, const char *text)
{
	_cleanup_free_ char *bytes = strdup(text);

	if (!bytes) {
		textbuf_fail(json->out, -ENOMEM);
		return;
	}
	bytes[text_unescape(bytes, strlen(bytes))] = '\0';
	json_put_text(json, key, bytes);
}

void json_put_safe(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_string(json->out, text);
}

void json_put_number(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	textbuf_u64(json->out, value);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	textbuf_str(json->out, value ? "true" : "false");
}

void json_put_null(struct json *json, const char *key)
{
	json_key(json, key);
	textbuf_str(json->out, "null");
}

void json_put_double(struct json *json, const char *key, double value)
{
	json_key(json, key);
	if (isfinite(value))
		textbuf_printf(json->out, "%.9g", value);
	else
		textbuf_str(json->out, "null");
}
