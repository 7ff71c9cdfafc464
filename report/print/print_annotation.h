/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profrep annotate: a function's lines of source, or its instructions, with their samples. */
#ifndef REPORT_PRINT_PRINT_ANNOTATION_H
#define REPORT_PRINT_PRINT_ANNOTATION_H

#include "report/annotate/source_text.h"
#include "report/text/terminal.h"
#include "report/text/json_writer.h"
#include "report/view/printout.h"

struct annotate_layout {
	struct terminal terminal;
	const char *function;
	struct source_dirs dirs;
	bool has_instructions; /* in place of lines */
};

/* What became of a function, of all events. */
struct annotate_outcome {
	bool has_function;
	bool is_known;       /* lines of it, or instructions, were printed */
	bool is_of_language; /* it has no lines because it is interpreted */
	char similar[256];   /* a name that may be meant; "": none */
	struct err failure;  /* of the disassembly */
};

/*
 * Prints the functions called @layout->function in the event of @p, the one with the most samples
 * first. Adds the stacks that rows lack to @summary. Returns 0 or a negative errno, with
 * @outcome->failure set if it is about files.
 */
int print_annotation(const struct printout *p, const struct annotate_layout *layout,
		     struct rows_summary *summary, struct annotate_outcome *outcome);

/* Appends the members of the event to @json, as print_annotation prints them. */
int print_annotation_json(const struct printout *p, const struct annotate_layout *layout,
			  struct json *json, struct rows_summary *summary,
			  struct annotate_outcome *outcome);

#endif
