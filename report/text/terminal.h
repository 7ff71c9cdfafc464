/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal that a table is printed to: its size and its colours. Text for a pipe or a file has
 * no colours and no limit of width, so that it is always the same and nothing of it is cut.
 */
#ifndef REPORT_TEXT_TERMINAL_H
#define REPORT_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "report/text/textbuf.h"

/* All zero: a pipe or a file. */
struct terminal {
	bool is_terminal;
	bool has_colours;
	uint32_t width;  /* characters in a line; 0: no limit */
	uint32_t height; /* lines; 0: no limit */
};

/* The part of a text for which dots stand where a line is too short for it. */
enum text_cut {
	CUT_END = 0,
	CUT_MIDDLE, /* functions: what differs is at either end */
	CUT_START,  /* paths */
};

/* The kinds of code have the colours of pages, as far as terminals have them. */
enum text_colour {
	COLOUR_NONE = 0,
	COLOUR_USER,
	COLOUR_KERNEL,
	COLOUR_JIT,
	COLOUR_INLINED,
	COLOUR_SCRIPT,
	COLOUR_UNNAMED,
	COLOUR_TITLE,
	NR_TEXT_COLOURS,
};

/* Looks at the terminal of @fd. NO_COLOR in the environment, or a dumb terminal, takes colours. */
void terminal_look(struct terminal *terminal, int fd);

/* Returns the characters that are left in a line after @used ones: at least 1; 0: no limit. */
static inline uint32_t terminal_rest(const struct terminal *terminal, uint32_t used)
{
	if (!terminal->width)
		return 0;
	return terminal->width > used ? terminal->width - used : 1;
}

/*
 * Appends @text, which is safe to print, in a colour. Cuts it to @width characters, 0 for no limit;
 * dots stand for the rest. Returns the characters that it appended.
 */
uint32_t terminal_print(const struct terminal *terminal, struct textbuf *out, const char *text,
			uint32_t width, enum text_cut cut, enum text_colour colour);

/*
 * Appends @text, which is safe to print, as a column that is @width characters wide: pads it, and
 * cuts it at a terminal.
 */
void terminal_print_column(const struct terminal *terminal, struct textbuf *out, const char *text,
			   uint32_t width, enum text_cut cut);

/* Returns true if lines end before @width characters. */
static inline bool terminal_is_narrow(const struct terminal *terminal, uint32_t width)
{
	return terminal->width && terminal->width < width;
}

/* Begins a new screen, below which nothing of the old one stays. A pipe has no screens. */
void terminal_begin_screen(const struct terminal *terminal, struct textbuf *out);

#endif
