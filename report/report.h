/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report from end to end: recordings read, symbols found, output printed, warnings gathered.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "common/err.h"
#include "report/report_options.h"
#include "report/text/textbuf.h"

/*
 * Makes the report that @opts ask for. What belongs on stderr once it is printed is appended to
 * @warnings, whole lines; *@is_incomplete is set when a recording was cut short or is damaged, and
 * what could be read of it was printed. Returns 0 or a negative errno with @err set.
 */
int report_run(const struct report_options *opts, struct textbuf *out, struct textbuf *warnings,
	       bool *is_incomplete, struct err *err);

#endif
