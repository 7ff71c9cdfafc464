/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by perf events: registers and a copy of the stack, which the kernel writes into a ring
 * buffer for each CPU. The recorder may open such events for its user's own processes, without any
 * capability.
 *
 * Functions of an interpreter are in memory that changes with each call. So for a thread of such a
 * process, the sample is the moment to stop the thread for, and all is read while it waits. A
 * thread that may not be stopped has its native frames only.
 */
#ifndef RECORD_SAMPLING_PERF_PERF_SOURCE_H
#define RECORD_SAMPLING_PERF_PERF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/sampling/ptrace/source_options.h"

struct perf_source;

int perf_source_create(const struct source_options *options, struct perf_source **source,
		       struct err *err);
void perf_source_destroy(struct perf_source *source);
int perf_source_add(struct perf_source *source, uint32_t id, bool is_thread, bool is_followed,
		    struct err *err);
int perf_source_start(struct perf_source *source, struct err *err);
int perf_source_take(struct perf_source *source);
void perf_source_stop(struct perf_source *source);
const int *perf_source_fds(const struct perf_source *source, size_t *nr);
const struct event_name *perf_source_event(const struct perf_source *source);
bool perf_source_has_kernel(const struct perf_source *source);
uint64_t perf_source_nr_lost(const struct perf_source *source);
bool perf_source_has_changed(struct perf_source *source, uint32_t pid);
const char *perf_source_lacks(const struct perf_source *source);

#endif
