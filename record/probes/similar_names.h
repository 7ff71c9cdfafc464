/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be meant by a name of -e that nothing has. */
#ifndef RECORD_PROBES_SIMILAR_NAMES_H
#define RECORD_PROBES_SIMILAR_NAMES_H

#include "common/parse.h"
#include "record/probes/pattern.h"

/*
 * Returns a name of the functions, or of the static probes, of the file at @fd for which that of
 * @pattern may be a slip, in the words of -e. The caller frees it. NULL: none.
 */
char *similar_name_in_file(int fd, const struct pattern *pattern);

/*
 * Returns what may be meant by @pattern, whose name no function of the kernel has: a tracepoint of
 * that name, the function of the C library of that name, or else the function of either for which
 * it may be a slip. The C library is that of the first of @pids. The caller frees it. NULL: none.
 */
char *meant_by_function(const struct pattern *pattern, const u32_vec *pids);

#endif
