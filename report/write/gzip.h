/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_WRITE_GZIP_H
#define REPORT_WRITE_GZIP_H

#include "report/text/textbuf.h"

/* Appends @len @bytes to @out, compressed by gzip. Returns 0 or -ENOMEM. */
int gzip_append(struct textbuf *out, const void *bytes, size_t len);

#endif
