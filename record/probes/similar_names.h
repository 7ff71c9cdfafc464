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
 * Returns a tracepoint of the name of @pattern, which is no function of the kernel, or else the
 * function of that name of the C library, as the first of @pids sees it. The caller frees it. NULL:
 * none.
 */
char *same_name_elsewhere(const struct pattern *pattern, const u32_vec *pids);

#endif
