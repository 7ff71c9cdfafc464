/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OTLP's second step: what was collected becomes the bytes of a request. */
#ifndef REPORT_EXPORT_OTLP_PACK_H
#define REPORT_EXPORT_OTLP_PACK_H

#include "report/export/otlp_collect.h"

/*
 * Appends the request as bytes to @out, the profile with most samples first; nothing can be
 * collected from then on. Returns 0 or -ENOMEM.
 */
int otlp_pack(struct otlp_collected *collected, const struct printout *p, struct textbuf *out);

#endif
