/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exports: the rows of one event in the formats of other tools. Each appends to the textbuf of its
 * printout and returns 0 or -ENOMEM. The view is that of multi-line output, since folded output has
 * escapes of its own.
 */
#ifndef REPORT_EXPORT_EXPORTERS_H
#define REPORT_EXPORT_EXPORTERS_H

#include "report/view/printout.h"

/* A thread without a name; other tools need one. */
#define UNNAMED_THREAD "''"

/*
 * Writes pprof's format, compressed by gzip. With @base, the rows of @base are subtracted as
 * pprof's -diff_base does: they are there with negative values and a label that marks them.
 */
int export_pprof(const struct printout *p, const struct printout *base,
		 struct rows_summary *summary);

/*
 * Writes speedscope's JSON: each row of a stretch of time (timed_rows.h) is a sample with its count
 * as its weight.
 */
int export_speedscope(const struct printout *p, struct rows_summary *summary);

/*
 * Writes the text of perf script, in the order of time (timed_rows.h). A row of samples is printed
 * once for each of its samples. There is a limit to that, and the last sample of a row has what is
 * left of the row's count as its period. A row of hits or sums is printed once, and its count is
 * the period.
 */
int export_perf_script(const struct printout *p, struct rows_summary *summary);

/* The user's choice for OTLP. */
struct otlp_choice {
	bool is_json;
	bool has_times; /* samples have the times of their slots, which the model keeps */
};

/*
 * Writes the events of @source to @out as OTLP's ExportProfilesServiceRequest, a profile for each
 * event of each service.
 */
int export_otlp(struct source *source, struct textbuf *out, const struct otlp_choice *choice,
		struct rows_summary *summary);

#endif
