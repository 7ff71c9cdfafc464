/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lacked room or time in the recorder, and whose it was. */
#ifndef REPORT_PRINT_LACKS_H
#define REPORT_PRINT_LACKS_H

#include "format/prof.h"
#include "report/text/textbuf.h"

/* Prints the numbers by kind and user as a part of a line, or nothing if there are none. */
void lacks_print(struct textbuf *out, const struct prof_end *end);

#endif
