// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/json_text.h"

#include <errno.h>

#include "common/cleanup.h"

void json_string(struct textbuf *out, const char *s)
{
	textbuf_char(out, '"');
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20) {
			textbuf_printf(out, "\\u%04x", *s);
			continue;
		}
		if (*s == '"' || *s == '\\')
			textbuf_char(out, '\\');
		textbuf_char(out, *s);
	}
	textbuf_char(out, '"');
}

void json_escaped(struct textbuf *out, const char *s)
{
	_cleanup_free_ char *escaped = text_escape(s, strlen(s), TEXT_PLAIN);

	if (escaped)
		json_string(out, escaped);
	else
		textbuf_fail(out, -ENOMEM);
}
