/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that can be sampled, by the names that perf gives them: software and hardware events,
 * raw ones (rNNNN), and tracepoints (category:name).
 */
#ifndef RECORD_SAMPLER_EVENT_NAMES_H
#define RECORD_SAMPLER_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

struct event_name {
	const char *name;        /* as the user wrote it, or perf's */
	uint32_t type;           /* perf_event_attr */
	uint64_t config;         /* of a tracepoint: 0 until event_name_find_id */
	bool every;              /* each one is a sample unless a period or frequency was given */
	bool no_kernel, no_user; /* modifiers: counts not there */
};

/* All names but rNNNN and tracepoints, separated by ", ". */
#define EVENT_NAMES                                                                                \
	"cpu-clock, task-clock, page-faults, minor-faults, major-faults, context-switches, "       \
	"cpu-migrations, cycles, instructions, cache-references, cache-misses, branches, "         \
	"branch-misses, bus-cycles"

/*
 * Reads the name of an event and its modifiers (:u, :k); @text must outlive @event. Returns 0,
 * -EOPNOTSUPP when it has other modifiers of perf's, or -EINVAL when it is none. Whether the kernel
 * and the machine have it is for others to find out.
 */
int event_name_parse(const char *text, struct event_name *event);

/* Where tracefs is found. */
extern const char *const tracefs_roots[];

/*
 * Looks up the id of a tracepoint in the first of @roots (ends with NULL) that is a tracefs, as its
 * config. Returns 0 or a negative errno with @err set.
 */
int event_name_find_id(struct event_name *event, const char *const *roots, struct err *err);

#endif
