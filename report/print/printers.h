/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outputs. Each output has a file of its own. It prints rows (rows.h), or straight from the
 * recording. Printers append to a textbuf, whose error the caller looks at in the end. They return
 * 0, -ENOMEM, or an error that their comment names.
 */
#ifndef REPORT_PRINT_PRINTERS_H
#define REPORT_PRINT_PRINTERS_H

#include "report/text/json_writer.h"
#include "report/text/terminal.h"
#include "report/view/folded_stack.h"

/*
 * Calls @print for each event of @source that the user wants to see, with a printout to @out. Ends
 * at the first error, which it returns.
 */
int source_print_events(struct source *source, struct textbuf *out,
			int (*print)(const struct printout *p, void *ctx), void *ctx);

/* Prints the table of the event of @p. A narrow terminal has the columns that tell most. */
typedef int (*print_table_fn)(const struct printout *p, const struct terminal *terminal);

/*
 * Prints the table of @print for each event of @source that the user wants to see. Each of several
 * tables stands below its headline.
 */
int source_print_tables(struct source *source, struct textbuf *out, print_table_fn print,
			const struct terminal *terminal);

/* Appends members about the event of @p to the object that is open. Returns 0 or -errno. */
typedef int (*print_json_fn)(const struct printout *p, struct json *json, void *ctx);

/*
 * Prints an object of JSON with an object for each event of @source that the user wants to see:
 * its name, unit and headline, and what @print adds.
 */
int source_print_json(struct source *source, struct textbuf *out, print_json_fn print, void *ctx);

/*
 * Prints the line that names the sampled event, processes and stacks, in bcc's words. A recording
 * with a table of events has such a line for each event.
 */
int print_headline(const struct printout *p);

/*
 * Prints the multi-line layout that bcc has for the event. Samples and time off the CPU are printed
 * as by profile and offcputime, counted hits as by stackcount.
 */
int print_stacks(const struct printout *p, struct rows_summary *summary);

/* Prints a line for each row: thread name, frames from the root to the leaf, count. */
int print_folded(const struct printout *p, struct rows_summary *summary);

/* Recordings to compare: the first @nr_before of @nr printouts are those before. */
struct printout_sides {
	const struct printout *printouts;
	size_t nr_before, nr;
};

/*
 * Prints the folded stacks of both @sides with two columns of counts, sorted bytewise, to the
 * output of the first printout. The recordings of a side are added up. All labels are for folded
 * output. With @normalize the first column is scaled to the sum of the second. @summary is the sum
 * of all. Returns -EDOM if the recordings before are empty and cannot be scaled, and -EOVERFLOW if
 * the counts of a side do not fit in 64 bits.
 */
int print_diff(const struct printout_sides *sides, bool normalize, struct rows_summary *summary);

/* Prints the name of @event, and its weight if it has one: 'c:malloc' (arg1). */
void print_event_name(const struct prof_meta *meta, uint32_t event, struct textbuf *out);

/* Returns the title of a column with counts of the event of the view: "SAMPLES", "HITS", ... */
const char *column_of_counts(const struct printout *p);

/* Prints the facts about the recording, one "key: value" to a line. */
int print_info(const struct recording *rec, struct textbuf *out);

/* Prints them as an object of JSON. Returns 0 or -ENOMEM. */
int print_info_json(const struct recording *rec, struct textbuf *out);

/* What the tables below have, as members of JSON. */
int print_processes_json(const struct printout *p, struct json *json, void *ctx);
int print_files_json(const struct printout *p, struct json *json, void *ctx);
int print_missing_json(const struct printout *p, struct json *json, void *ctx);

/* Prints a table of the processes in the rows of the event, with the facts about each. */
int print_processes(const struct printout *p, const struct terminal *terminal);

/*
 * Prints a table of the objects in the rows of the event: samples, build-ids, and the source of
 * their symbols.
 */
int print_files(const struct printout *p, const struct terminal *terminal);

/*
 * Prints build-id and path of each file that lacks names of sampled functions and may get them from
 * a better file, one a line, with a tab between. The file with most such samples comes first.
 */
int print_missing(const struct printout *p, const struct terminal *terminal);

#endif
