// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/json_text.h"

#include <errno.h>
#include <inttypes.h>

#include "common/cleanup.h"

/* Characters beyond U+FFFF are two units of UTF-16 (RFC 8259, section 7). */
static void put_escape(struct textbuf *out, uint32_t cp)
{
	if (cp > 0xffff)
		textbuf_printf(out, "\\u%04" PRIx32 "\\u%04" PRIx32,
			       0xd800 + ((cp - 0x10000) >> 10), 0xdc00 + (cp & 0x3ff));
	else
		textbuf_printf(out, "\\u%04" PRIx32, cp);
}

void json_string(struct textbuf *out, const char *s)
{
	size_t len = strlen(s);

	textbuf_char(out, '"');
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t cp = 0;

		n = text_decode(s + i, len - i, &cp);
		if (n && !text_is_visible(cp)) {
			put_escape(out, cp);
			continue;
		}
		if (s[i] == '"' || s[i] == '\\')
			textbuf_char(out, '\\');
		n = n ? n : 1;
		textbuf_bytes(out, s + i, n);
	}
	textbuf_char(out, '"');
}

void json_escaped(struct textbuf *out, const char *s, enum text_mode mode)
{
	_cleanup_free_ char *escaped = text_escape(s, strlen(s), mode);

	if (escaped)
		json_string(out, escaped);
	else
		textbuf_fail(out, -ENOMEM);
}
