/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an output is made of: a recording, the names of its frames, and the user's choices.
 * Printers, exports, pages and comparisons take it, and visit its rows.
 */
#ifndef REPORT_VIEW_PRINTOUT_H
#define REPORT_VIEW_PRINTOUT_H

#include "report/model/recording.h"
#include "report/view/labels.h"
#include "report/view/rows.h"
#include "report/view/source.h"

struct printout {
	const struct recording *rec;
	const struct symbols *symbols; /* for print_files and print_missing */
	struct labels *labels;         /* for stacks and folded output */
	const struct view *view;
	struct textbuf *out;
	/* The user's choice, for headlines. */
	const struct sample_filter *filter;
	const struct timespan *span;
};

static inline struct printout source_printout(struct source *source, struct textbuf *out)
{
	return (struct printout){&source->rec, &source->symbols, &source->labels, &source->view,
				 out,          &source->filter,  &source->span};
}

/* Returns the event of the view, NULL if the recording has no table of events. */
static inline const struct prof_event *printed_event(const struct printout *p)
{
	return p->rec->meta->nr_events ? &p->rec->meta->events[p->view->event] : NULL;
}

/* Returns true if the event of the view counts hits of functions, tracepoints or probes. */
static inline bool has_hits(const struct printout *p)
{
	return event_has_hits(p->rec->meta, p->view->event);
}

/* Writes a count of the event of the view to @text, in the unit that the user wants. */
static inline const char *printout_amount(const struct printout *p, uint64_t count,
					  char text[AMOUNT_SIZE])
{
	return amount_text(count, event_unit_number(p->rec->meta, p->view->event), p->view->unit,
			   text);
}

/* Returns true if such a count has a unit of its own. */
static inline bool printout_has_unit(const struct printout *p)
{
	return amount_has_unit(event_unit_number(p->rec->meta, p->view->event), p->view->unit);
}

/* Returns true if rows are of threads by their names. Hits can be of all threads together. */
static inline bool printout_has_threads(const struct printout *p)
{
	return !has_hits(p) || p->view->per_process;
}

/* Says it if frames of interpreters are left out though the user has not asked for that. */
static inline void printout_note_frames(const struct printout *p)
{
	if (p->view->hides_interpreters)
		textbuf_str(p->out, "Frames of the interpreter are left out; "
				    "--frames mixed shows them, too.\n");
}

/* Says it in place of a table if the event of the view has no samples. Returns whether it does. */
bool printout_note_none(const struct printout *p);

/*
 * Visits the rows of the event of the view, as rows_visit does. Rows of counted hits whose text is
 * equal are added up, and so are those of several recordings.
 */
int printout_visit(const struct printout *p, row_fn visit, void *ctx, struct rows_summary *summary);

/* Words the error @ret of a printer for the recording @name. Returns @ret; 0 stays 0. */
int print_error_set(int ret, const char *name, struct err *err);

/* Writes the text that @out buffers. Returns 0 or a negative errno with @err set. */
int print_flush(struct textbuf *out, struct err *err);

#endif
