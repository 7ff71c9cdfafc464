/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracepoints that tracefs knows. */
#ifndef RECORD_PROBES_TRACEPOINTS_H
#define RECORD_PROBES_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vec.h"
#include "record/probes/pattern.h"

struct tracepoint {
	uint64_t id; /* perf_event_attr.config */
	char *name;  /* CATEGORY:EVENT */
};

typedef VEC(struct tracepoint) tracepoint_vec;

/*
 * Adds the tracepoints that @pattern matches to @found, sorted by name. Reads the first of @roots
 * that is a tracefs; @roots ends with NULL. Returns 0, also if there are none, or a negative errno
 * with @err set.
 */
int tracepoints_find(const struct pattern *pattern, const char *const *roots, tracepoint_vec *found,
		     struct err *err);

/* Is there a category that @category matches? Without tracefs there is none. */
bool tracepoints_have_category(const struct name_match *category, const char *const *roots);

void tracepoints_free(tracepoint_vec *tracepoints);

#endif
