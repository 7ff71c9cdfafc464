/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words for the user's choice of samples. Whoever reads a report must see that it is not about
 * the whole recording.
 */
#ifndef REPORT_VIEW_FILTER_WORDS_H
#define REPORT_VIEW_FILTER_WORDS_H

#include "report/model/timespan.h"
#include "report/text/textbuf.h"
#include "report/view/sample_filter.h"

/*
 * Appends the choice, safe to print, between @before and @after: "of threads named 'nginx' or
 * 'php', in cgroup '/web', from 2 s". Appends nothing, and returns false, if that is everything.
 */
bool filter_words_put(const struct sample_filter *filter, const struct timespan *span,
		      const char *before, const char *after, struct textbuf *out);

#endif
