/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that the recorder can sample, by the names that perf gives them: software events,
 * hardware events, raw events (rNNNN) and tracepoints (category:name).
 */
#ifndef RECORD_SAMPLING_BPF_EVENT_NAMES_H
#define RECORD_SAMPLING_BPF_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/words.h"
#include "record/sampling/bpf/tracefs.h"

struct event_name {
	const char *name;        /* as the user wrote it, or a default's name */
	uint32_t type;           /* perf_event_attr.type */
	uint64_t config;         /* perf_event_attr.config; a tracepoint's is set by find_id */
	bool every;              /* without a period or frequency, every event is a sample */
	bool no_kernel, no_user; /* modifiers: the event does not count there */
};

/* All names but those of raw events and tracepoints, separated by ", ". */
#define EVENT_NAMES                                                                                \
	"cpu-clock, task-clock, page-faults, minor-faults, major-faults, context-switches, "       \
	"cpu-migrations, cycles, instructions, cache-references, cache-misses, branches, "         \
	"branch-misses, bus-cycles"

/* The same names, and the other names that some of them have. */
extern const struct word_list event_names;

/*
 * Parses the name of an event and its modifiers (:u, :k); @text must outlive @event. Returns 0,
 * -EOPNOTSUPP if @text has other modifiers of perf's, or -EINVAL if it names no event. Does not
 * check whether the kernel and the host have the event.
 */
int event_name_parse(const char *text, struct event_name *event);

/*
 * Sets the config of a tracepoint, which is its id in tracefs. Reads the first of @roots that is a
 * tracefs; @roots ends with NULL. Returns 0 or a negative errno with @err set.
 */
int event_name_find_id(struct event_name *event, const char *const *roots, struct err *err);

#endif
