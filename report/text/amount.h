/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts as people read them: "11.5 s" and "1.21 MiB" instead of 11501272467 nanoseconds and
 * 1264321 bytes. Outputs for other programs have the counts themselves.
 */
#ifndef REPORT_TEXT_AMOUNT_H
#define REPORT_TEXT_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/prof.h"

enum amount_unit {
	AMOUNT_AUTO = 0, /* the largest unit of which there is one at least, with three digits */
	AMOUNT_RAW,      /* all digits, without a unit */
	AMOUNT_S,
	AMOUNT_MS,
};

#define AMOUNT_SIZE 32

/* Writes @value, in an enum prof_event_unit, to @text. Without a unit, it has all digits. */
const char *amount_text(uint64_t value, uint8_t unit, enum amount_unit shown,
			char text[AMOUNT_SIZE]);

/* Writes a mean time of @ns. AMOUNT_S and AMOUNT_MS have four digits here. */
const char *amount_time(double ns, enum amount_unit shown, char text[AMOUNT_SIZE]);

/* Returns true if amount_text writes a unit. */
static inline bool amount_has_unit(uint8_t unit, enum amount_unit shown)
{
	return shown != AMOUNT_RAW &&
	       (unit == PROF_UNIT_NS || (unit == PROF_UNIT_BYTES && shown == AMOUNT_AUTO));
}

#endif
