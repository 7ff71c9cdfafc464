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

/* A field of a tracepoint's record. */
struct tracepoint_field {
	uint32_t off, size; /* bytes */
	bool is_signed;
};

typedef VEC(struct tracepoint) tracepoint_vec;

/*
 * Adds the tracepoints that @pattern matches to @found, sorted by name. Reads the first of @roots
 * that is a tracefs; @roots ends with NULL. Returns 0, also if there are none, or a negative errno
 * with @err set.
 */
int tracepoints_find(const struct pattern *pattern, const char *const *roots, tracepoint_vec *found,
		     struct err *err);

/*
 * Finds the field @name in @format, the text of a tracepoint's format file. Returns 0, -ENOENT if
 * there is no such field, or -EINVAL if it is not a number of 1, 2, 4 or 8 bytes.
 */
int tracepoint_field_parse(const char *format, const char *name, struct tracepoint_field *field);

/* Finds a field of tracepoint @t. Returns as tracepoint_field_parse, or a read's errno. */
int tracepoint_field_find(const struct tracepoint *t, const char *const *roots, const char *name,
			  struct tracepoint_field *field);

/* Is there a category that @category matches? Without tracefs there is none. */
bool tracepoints_have_category(const struct name_match *category, const char *const *roots);

void tracepoints_free(tracepoint_vec *tracepoints);

#endif
