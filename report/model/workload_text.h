/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of what the path of a cgroup says about a process. */
#ifndef REPORT_MODEL_WORKLOAD_TEXT_H
#define REPORT_MODEL_WORKLOAD_TEXT_H

#include "common/workload.h"
#include "report/text/textbuf.h"

/* Appends the @part of @path to @out, not escaped. Returns what workload_find returns. */
size_t workload_put(const char *path, enum workload_part part, struct textbuf *out);

#endif
