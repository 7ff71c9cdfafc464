/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the verdicts of a comparison. */
#ifndef REPORT_PRINT_PRINT_CHANGES_H
#define REPORT_PRINT_PRINT_CHANGES_H

#include "report/compare/comparison.h"
#include "report/compare/plan.h"
#include "report/text/amount.h"
#include "report/text/terminal.h"
#include "report/view/filter_words.h"

struct changes_printout {
	const struct comparison *comparison;
	const struct tally *tally;
	enum denominator per;
	const char *work; /* the user's word for a unit of work; "": none */
	bool all;         /* print also what is small and has not changed */
	enum amount_unit unit;
	bool is_off_cpu; /* the event is time off the CPU */
	struct terminal terminal;
	/* The user's choice of samples. */
	const struct sample_filter *filter;
	const struct timespan *span;
};

/*
 * Prints a sentence that says how many things changed and which, and how small a change would have
 * been seen; then a table, without all of what changed alone if there are verdicts: what changed,
 * what did not, what appeared and what vanished.
 */
void print_changes(const struct changes_printout *p, struct textbuf *out);

/* Prints the sentence and the table in Markdown, as GitHub and GitLab show it. */
void print_changes_markdown(const struct changes_printout *p, struct textbuf *out);

/* Prints all verdicts as an object of JSON (RFC 8259). What is not known is null. */
void print_changes_json(const struct changes_printout *p, struct textbuf *out);

/* Prints the table of @plan, with all of @p also what is small. @p needs no comparison. */
void print_plan(const struct plan *plan, const struct changes_printout *p, struct textbuf *out);

/* Returns the words for @verdict. */
const char *verdict_text(enum verdict verdict);

#endif
