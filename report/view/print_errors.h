/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words for the errors of printing. */
#ifndef REPORT_VIEW_PRINT_ERRORS_H
#define REPORT_VIEW_PRINT_ERRORS_H

#include "common/err.h"
#include "report/text/textbuf.h"

/* Words the error @ret of a printer for the recording @name. Returns @ret; 0 stays 0. */
int print_error_set(int ret, const char *name, struct err *err);

/* Writes the text that @out buffers. Returns 0 or a negative errno with @err set. */
int print_flush(struct textbuf *out, struct err *err);

#endif
