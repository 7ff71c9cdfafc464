/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of profrep info about the counts: taken, counted, lost, and the checks of these numbers.
 */
#ifndef REPORT_PRINT_INFO_COUNTS_H
#define REPORT_PRINT_INFO_COUNTS_H

#include "report/model/recording.h"
#include "report/text/textbuf.h"

/* Prints the events, the numbers of the end record, and whether they add up. */
void info_counts(const struct recording *rec, struct textbuf *out);

/*
 * Prints the perf event that samples were taken of, and how often. Within the lines of an event of
 * the table, @indent begins them; else it is "".
 */
void info_sampling(const struct prof_meta *meta, const char *indent, struct textbuf *out);

/* Prints the ends of the stacks of user space, counted in the unit of each event. */
void info_user_stacks(const struct recording *rec, struct textbuf *out);

/* Prints, for each event with such, how much is of processes that were not described in full. */
void info_lacks(const struct recording *rec, struct textbuf *out);

#endif
