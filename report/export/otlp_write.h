/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OTLP's second step: writes what was collected, samples and all, as the bytes of a request. */
#ifndef REPORT_EXPORT_OTLP_WRITE_H
#define REPORT_EXPORT_OTLP_WRITE_H

#include "report/export/otlp_collect.h"

/*
 * Appends the request as bytes to @out, the profile with most samples first; nothing can be
 * collected from then on. Returns 0 or -ENOMEM.
 */
int otlp_write(struct otlp_collected *collected, const struct printout *p, struct textbuf *out);

#endif
