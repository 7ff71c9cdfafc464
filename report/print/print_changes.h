/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the verdicts of a comparison. */
#ifndef REPORT_PRINT_PRINT_CHANGES_H
#define REPORT_PRINT_PRINT_CHANGES_H

#include "report/compare/comparison.h"
#include "report/compare/plan.h"
#include "report/text/amount.h"
#include "report/text/terminal.h"
#include "report/view/filter_words.h"

/* Without all, a table ends after this many things that have not changed. */
#define UNCHANGED_SHOWN 30

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

/* The numbers of the sentence. */
struct changes_summary {
	size_t nr, nr_changed; /* things; those that changed, with those on one side only */
	double detectable;     /* in three of four things above SUMMARY_SHARE_MIN; NaN: not known */
};

/* The part of the whole from which on a thing counts for the smallest change in the sentence. */
#define SUMMARY_SHARE_MIN 0.01

struct changes_summary changes_summarize(const struct changes_printout *p);

/*
 * Does a table have @item? Text and Markdown ask for all items in their order, so that both have
 * the same ones: what changed, what is on one side only, and without verdicts the first ones that
 * are on both, which *@nr_unchanged counts. The sentence names none that a table lacks.
 */
bool changes_has(const struct changes_printout *p, const struct compared *item,
		 size_t *nr_unchanged);

/* Prints how many items the tables leave out, if there are any. */
void print_changes_left_out(const struct changes_printout *p, struct textbuf *out);

/* Prints the unit of the rates: "shares of all samples"; times are in @cpu and in @off_cpu. */
void print_changes_unit(const struct changes_printout *p, const char *cpu, const char *off_cpu,
			struct textbuf *out);

/* Prints how many recordings were compared, the unit, and the user's choice of samples. */
void print_changes_basis(const struct changes_printout *p, struct textbuf *out);

/* Prints the sentence. */
void print_changes_summary(const struct changes_printout *p, struct textbuf *out);

/* Prints a relative change: "+13.9 %", ">10x", or "-" for what is not known. */
void print_relative(struct textbuf *out, double relative, int width, const char *sign);

/* Prints a share of samples, or a time, @width characters wide. */
void print_rate(struct textbuf *out, const struct changes_printout *p, int width, double rate);

/* Returns the word for things of @by: "functions". */
const char *changes_things(enum tally_by by);

/* Prints all verdicts as an object of JSON (RFC 8259). What is not known is null. */
void print_changes_json(const struct changes_printout *p, struct textbuf *out);

/* Prints the table of @plan, with all of @p also what is small. @p needs no comparison. */
void print_plan(const struct plan *plan, const struct changes_printout *p, struct textbuf *out);

/* Returns the words for @verdict. */
const char *verdict_text(enum verdict verdict);

#endif
