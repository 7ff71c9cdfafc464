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
#ifndef RECORD_SAMPLING_PTRACE_PTRACE_SOURCE_H
#define RECORD_SAMPLING_PTRACE_PTRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/sampling/ptrace/source_options.h"

struct ptrace_source;

int ptrace_source_create(const struct source_options *options, struct ptrace_source **source,
			 struct err *err);
void ptrace_source_destroy(struct ptrace_source *source);
int ptrace_source_add(struct ptrace_source *source, uint32_t id, bool is_thread, bool is_followed,
		      struct err *err);
int ptrace_source_start(struct ptrace_source *source, struct err *err);
int ptrace_source_take(struct ptrace_source *source);
void ptrace_source_stop(struct ptrace_source *source);
const char *ptrace_source_lacks(const struct ptrace_source *source);
const int *ptrace_source_fds(const struct ptrace_source *source, size_t *nr);

#endif
