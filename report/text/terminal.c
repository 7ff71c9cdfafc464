// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/terminal.h"

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

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static uint32_t nr_characters(const char *text)
{
	uint32_t nr = 0;

	for (; *text; text++)
		nr += !is_inside_character(*text);
	return nr;
}

/* Returns the place of character @nr of @text, which has as many. */
static const char *character(const char *text, uint32_t nr)
{
	for (; *text; text++)
		if (!is_inside_character(*text) && !nr--)
			break;
	return text;
}

/* Appends @width of the @nr characters of @text. */
static void put_cut(struct textbuf *out, const char *text, uint32_t nr, uint32_t width,
		    enum text_cut cut)
{
	uint32_t dots = width > strlen(DOTS) ? strlen(DOTS) : 0, kept = width - dots;
	uint32_t nr_last = cut == CUT_END ? 0 : cut == CUT_START ? kept : kept / 2;

	textbuf_bytes(out, text, character(text, kept - nr_last) - text);
	textbuf_bytes(out, DOTS, dots);
	textbuf_str(out, character(text, nr - nr_last));
}

uint32_t terminal_print(const struct terminal *terminal, struct textbuf *out, const char *text,
			uint32_t width, enum text_cut cut, enum text_colour colour)
{
	static const char *const codes[NR_TEXT_COLOURS] = {
		[COLOUR_USER] = "\033[32m",   [COLOUR_KERNEL] = "\033[33m",
		[COLOUR_JIT] = "\033[35m",    [COLOUR_INLINED] = "\033[36m",
		[COLOUR_SCRIPT] = "\033[34m", [COLOUR_UNNAMED] = "\033[2m",
		[COLOUR_TITLE] = "\033[1m",
	};
	const char *code = terminal->has_colours ? codes[colour] : NULL;
	uint32_t nr = nr_characters(text);
	bool is_cut = width && nr > width;

	if (code)
		textbuf_str(out, code);
	if (is_cut)
		put_cut(out, text, nr, width, cut);
	else
		textbuf_str(out, text);
	if (code)
		textbuf_str(out, "\033[0m");
	return is_cut ? width : nr;
}

void terminal_print_column(const struct terminal *terminal, struct textbuf *out, const char *text,
			   uint32_t width, enum text_cut cut)
{
	uint32_t nr =
		terminal_print(terminal, out, text, terminal->width ? width : 0, cut, COLOUR_NONE);

	textbuf_printf(out, "%*s", nr < width ? (int)(width - nr) : 0, "");
}

void terminal_begin_screen(const struct terminal *terminal, struct textbuf *out)
{
	/* The cursor goes to the first place, and all from there on is erased. */
	if (terminal->is_terminal)
		textbuf_str(out, "\033[H\033[J");
}
