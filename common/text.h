/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names made safe to print. Thread names, paths and symbols belong to the profiled processes and
 * may hold anything: escape sequences, newlines, bytes that are not UTF-8. The programs print all
 * such text through this file. Visible UTF-8 passes. Each byte of all other characters becomes
 * \xNN. A backslash becomes two at the end, and before another one, an x or an escaped byte; others
 * stay. So different names look different, except in messages.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum text_mode {
	TEXT_PLAIN,
	TEXT_FOLDED,  /* also escapes ';', which separates frames in folded output */
	TEXT_MESSAGE, /* leaves backslashes as they are: regular expressions have them */
};

/*
 * Escapes @len bytes of @s. Returns a NUL-terminated string that the caller frees, or NULL if
 * memory runs out.
 */
char *text_escape(const char *s, size_t len, enum text_mode mode);

/*
 * Takes the escapes back in the @len bytes of @s, in place. What only looks like the beginning of
 * one stays. Returns the new length.
 */
size_t text_unescape(char *s, size_t len);

/* Prints the NUL-terminated @s to @out, escaped. */
void text_print(FILE *out, const char *s, enum text_mode mode);

#endif
