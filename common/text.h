/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names made safe to print. Thread names, paths and symbols belong to the profiled processes and
 * may hold anything: escape sequences, newlines, bytes that are not UTF-8. The programs print all
 * such text through this file. Visible UTF-8 passes. Each byte of all other characters becomes
 * \xNN. A backslash becomes two at the end, and before another one, an escaped byte or what looks
 * like one; others stay, as those of systemd's "my\x2dapp". So different names look different,
 * except in messages. Formats that other programs read have the names themselves, as far as they
 * can hold them.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum text_mode {
	TEXT_PLAIN,
	TEXT_FOLDED,  /* also escapes ';', which separates frames in folded output */
	TEXT_MESSAGE, /* leaves backslashes as they are: regular expressions have them */
	TEXT_FIELD,   /* of a line that no terminal shows: escapes only what may not stand there,
		       * which is ASCII's controls and what is not UTF-8 */
	TEXT_DATA,    /* of a format that has lengths or escapes of its own: leaves UTF-8 as it is,
		       * and backslashes, so that escaped bytes can look like others */
};

/*
 * Decodes one UTF-8 sequence of at most @len bytes. Returns its length, or 0 if it is malformed:
 * overlong, a surrogate, beyond U+10FFFF or cut off (Unicode 15, table 3-7).
 */
size_t text_decode(const char *s, size_t len, uint32_t *cp);

/* Returns true for characters that TEXT_PLAIN leaves as they are. */
bool text_is_visible(uint32_t cp);

/*
 * Escapes @len bytes of @s. Returns a NUL-terminated string that the caller frees, or NULL if
 * memory runs out.
 */
char *text_escape(const char *s, size_t len, enum text_mode mode);

/*
 * Takes the escapes of all modes but TEXT_MESSAGE and TEXT_DATA back in the @len bytes of @s, in
 * place. What only looks like the beginning of one stays. Returns the new length.
 */
size_t text_unescape(char *s, size_t len);

/* Prints the NUL-terminated @s to @out, escaped. */
void text_print(FILE *out, const char *s, enum text_mode mode);

#endif
