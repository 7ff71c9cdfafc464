/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outputs: each one file, over the same rows (rows.h) or straight from the recording. They
 * append to a textbuf, whose error the caller looks at in the end, and return 0, -ENOMEM, or what
 * is said with each.
 */
#ifndef REPORT_PRINT_PRINTERS_H
#define REPORT_PRINT_PRINTERS_H

#include "report/model/recording.h"
#include "report/print/source.h"
#include "report/view/labels.h"
#include "report/view/rows.h"

struct printout {
	const struct recording *rec;
	const struct symbols *symbols; /* not for info */
	struct labels *labels;         /* for stacks and folded */
	const struct view *view;
	struct textbuf *out;
};

static inline struct printout source_printout(struct source *source, const struct view *view,
					      struct textbuf *out)
{
	return (struct printout){&source->rec, &source->symbols, &source->labels, view, out};
}

/* The line that says what was sampled, as bcc words it. */
int print_headline(const struct printout *p);

/* bcc's multi-line layout. */
int print_stacks(const struct printout *p, struct rows_summary *summary);

/* One line per row: thread name, frames from the root to the leaf, count. */
int print_folded(const struct printout *p, struct rows_summary *summary);

/* The line of @row in folded output without its count: what makes rows the same in a diff. */
void print_folded_stack(const struct printout *p, struct textbuf *out, const struct stack_row *row);

/*
 * Two columns of counts for each folded stack of @before and @after, both with labels for folded
 * output; sorted bytewise. With @normalize the first column is scaled to the sum of the second.
 * @before->out is written to. The summary adds up both. -EDOM: nothing to scale, @before is empty.
 */
int print_diff(const struct printout *before, const struct printout *after, bool normalize,
	       struct rows_summary *summary);

/* What is known of the recording, one "key: value" to a line. */
int print_info(const struct recording *rec, struct textbuf *out);

/* A table of the processes that were sampled, with what is known of each. */
int print_processes(const struct recording *rec, struct textbuf *out);

/*
 * A table of what was sampled: objects with their samples, build-ids, and where their symbols came
 * from. -EOVERFLOW: the frames add up to more than 64 bits.
 */
int print_files(const struct printout *p);

#endif
