/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the verdicts of a comparison. */
#ifndef REPORT_COMPARE_PRINT_CHANGES_H
#define REPORT_COMPARE_PRINT_CHANGES_H

#include "report/compare/comparison.h"
#include "report/compare/plan.h"
#include "report/text/amount.h"

/* Without all, a table ends after this many things that have not changed. */
#define UNCHANGED_SHOWN 30

struct changes_printout {
	const struct comparison *comparison;
	const struct tally *tally;
	enum denominator per;
	bool all; /* print also what is small and has not changed */
	enum amount_unit unit;
	bool is_off_cpu; /* the event is time off the CPU */
};

/* Prints a table: what changed, what did not, what appeared and what vanished. */
void print_changes(const struct changes_printout *p, struct textbuf *out);

/* Prints all verdicts as an object of JSON (RFC 8259). What is not known is null. */
void print_changes_json(const struct changes_printout *p, struct textbuf *out);

/* Prints the table of @plan; with @all, also what is small. */
void print_plan(const struct plan *plan, const struct tally *tally, enum denominator per, bool all,
		struct textbuf *out);

/* Returns the words for @verdict. */
const char *verdict_text(enum verdict verdict);

#endif
