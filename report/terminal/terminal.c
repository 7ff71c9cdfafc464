// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DOTS "..."

/* Of a terminal that does not tell its size. */
#define USUAL_WIDTH  80
#define USUAL_HEIGHT 24

void terminal_look(struct terminal *terminal, int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *type = getenv("TERM");
	struct winsize size = {0};

	*terminal = (struct terminal){0};
	if (!isatty(fd))
		return;
	ioctl(fd, TIOCGWINSZ, &size);
	*terminal = (struct terminal){
		.is_terminal = true,
		.has_colours = !(no_colour && no_colour[0]) && type && strcmp(type, "dumb") != 0,
		.width = size.ws_col ? size.ws_col : USUAL_WIDTH,
		.height = size.ws_row ? size.ws_row : USUAL_HEIGHT,
	};
}

/* Returns the bytes of the first @nr characters of @text, and sets *@seen to the characters. */
static size_t bytes_of(const char *text, uint32_t nr, uint32_t *seen)
{
	size_t i = 0;

	*seen = 0;
	for (; text[i]; i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		if (*seen == nr)
			break;
		(*seen)++;
	}
	return i;
}

uint32_t terminal_print(const struct terminal *terminal, struct textbuf *out, const char *text,
			uint32_t width, enum text_colour colour)
{
	static const char *const codes[NR_TEXT_COLOURS] = {
		[COLOUR_USER] = "\033[32m",   [COLOUR_KERNEL] = "\033[33m",
		[COLOUR_JIT] = "\033[35m",    [COLOUR_INLINED] = "\033[36m",
		[COLOUR_SCRIPT] = "\033[34m", [COLOUR_UNNAMED] = "\033[2m",
		[COLOUR_TITLE] = "\033[1m",
	};
	const char *code = terminal->has_colours ? codes[colour] : NULL;
	uint32_t nr;
	size_t len = bytes_of(text, width ? width : UINT32_MAX, &nr);
	bool is_cut = text[len];

	if (is_cut && width > strlen(DOTS))
		len = bytes_of(text, width - strlen(DOTS), &nr);
	if (code)
		textbuf_str(out, code);
	textbuf_bytes(out, text, len);
	if (is_cut && width > strlen(DOTS)) {
		textbuf_str(out, DOTS);
		nr += strlen(DOTS);
	}
	if (code)
		textbuf_str(out, "\033[0m");
	return nr;
}

void terminal_begin_screen(const struct terminal *terminal, struct textbuf *out)
{
	/* The cursor goes to the first place, and all from there on is erased. */
	if (terminal->is_terminal)
		textbuf_str(out, "\033[H\033[J");
}
