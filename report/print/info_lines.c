// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/info_lines.h"

#include <inttypes.h>

/* The values begin in this column. */
#define KEY_WIDTH 18

void info_key(struct textbuf *out, const char *key)
{
	textbuf_printf(out, "%s:%*s", key, (int)(KEY_WIDTH - 1 - strlen(key)), "");
}

void info_text(struct textbuf *out, const char *key, const char *value)
{
	info_key(out, key);
	if (value[0])
		textbuf_escaped(out, value, strlen(value), TEXT_PLAIN);
	else
		textbuf_char(out, '-');
	textbuf_char(out, '\n');
}

void info_number(struct textbuf *out, const char *key, uint64_t value, const char *unit)
{
	info_key(out, key);
	textbuf_printf(out, "%" PRIu64 "%s%s\n", value, unit[0] ? " " : "", unit);
}

void info_amount(struct textbuf *out, const char *key, uint64_t value, uint8_t unit,
		 const char *word)
{
	char text[AMOUNT_SIZE];

	info_key(out, key);
	textbuf_printf(out, "%" PRIu64 "%s%s", value, word[0] ? " " : "", word);
	if (amount_has_unit(unit, AMOUNT_AUTO) && value >= 1024)
		textbuf_printf(out, " (%s)", amount_text(value, unit, AMOUNT_AUTO, text));
	textbuf_char(out, '\n');
}
