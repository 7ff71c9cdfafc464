/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of profrep info: "key: value". All values begin in one column. */
#ifndef REPORT_PRINT_INFO_LINES_H
#define REPORT_PRINT_INFO_LINES_H

#include <stdint.h>

#include "report/text/amount.h"
#include "report/text/textbuf.h"

/* Prints the key of a line; the caller prints its value and the newline. */
void info_key(struct textbuf *out, const char *key);

/* Prints a line with the escaped @value, or "-" if it is empty. */
void info_text(struct textbuf *out, const char *key, const char *value);

/*
 * Prints a line with a count, the word for its unit, and the same in a larger unit, if it has one.
 */
void info_amount(struct textbuf *out, const char *key, uint64_t value, uint8_t unit,
		 const char *word);

/* Prints a line with a number and its @unit, which may be "". */
void info_number(struct textbuf *out, const char *key, uint64_t value, const char *unit);

#endif
