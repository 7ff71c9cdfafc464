/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions with the largest counts, as a table of HTML for readers without a script: mail
 * programs, and servers that forbid scripts. Here alone names are in the markup, so they are
 * escaped and short.
 */
#ifndef REPORT_HTML_TOP_TABLE_H
#define REPORT_HTML_TOP_TABLE_H

#include "report/html/page_profile.h"

/* Appends the tables of each part of @profile, which is sorted. Returns 0 or -ENOMEM. */
int top_table_print(struct textbuf *out, const struct page_profile *profile,
		    const struct page_functions *functions);

#endif
