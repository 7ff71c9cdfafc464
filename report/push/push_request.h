/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The request that pushes a profile: Pyroscope's PushRequest as bytes. */
#ifndef REPORT_PUSH_PUSH_REQUEST_H
#define REPORT_PUSH_PUSH_REQUEST_H

#include "report/push/profile_parts.h"
#include "report/push/push_target.h"

/*
 * Appends the request with @part, of a recording of @host, to @out. Labels of @target take the
 * place of those that profrep makes. Returns 0 or -ENOMEM.
 */
int push_request_pack(const struct profile_part *part, const char *host,
		      const struct push_target *target, struct textbuf *out);

#endif
