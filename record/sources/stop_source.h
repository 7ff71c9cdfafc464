/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by ptrace, where even perf events are refused. The recorder traces the threads, and looks
 * at their CPU time (/proc/PID/task/TID/schedstat) as often as samples are wanted. A thread that
 * has used up a period of CPU time and runs is stopped, read, and let go. So threads that sleep
 * cost next to nothing, and shares are shares of CPU time.
 *
 * A thread that is stopped is never left there: the kernel lets all of them go when the recorder
 * ends, however it ends.
 */
#ifndef RECORD_SOURCES_STOP_SOURCE_H
#define RECORD_SOURCES_STOP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/sources/source_options.h"

struct stop_source;

int stop_source_create(const struct source_options *options, struct stop_source **source,
		       struct err *err);
void stop_source_destroy(struct stop_source *source);
int stop_source_add(struct stop_source *source, uint32_t id, bool is_thread, bool is_followed,
		    struct err *err);
int stop_source_start(struct stop_source *source, struct err *err);
int stop_source_take(struct stop_source *source);
void stop_source_stop(struct stop_source *source);
const char *stop_source_lacks(const struct stop_source *source);
const int *stop_source_fds(const struct stop_source *source, size_t *nr);

#endif
