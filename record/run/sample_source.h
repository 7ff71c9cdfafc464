/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who takes the samples where the kernel lets the recorder load no program: perf events, or ptrace.
 * Each sample goes through the program that is compiled for the recorder
 * (record/sampling/program/), and into the sampler's sets. The main loop calls source_take; there
 * are no threads.
 */
#ifndef RECORD_RUN_SAMPLE_SOURCE_H
#define RECORD_RUN_SAMPLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/sampling/ptrace/source_options.h"

struct source;

/* Returns 0 or a negative errno with @err set. */
int source_create(const struct source_options *options, struct source **source, struct err *err);

/* Stops. NULL is fine. */
void source_destroy(struct source *source);

/*
 * Samples the thread, or all threads of the process @id. Those that it starts later are sampled,
 * too. @is_followed: so says a filter for descendants. Returns 0, -ESRCH if it has gone, or another
 * negative errno with @err set.
 */
int source_add(struct source *source, uint32_t id, bool is_thread, bool is_followed,
	       struct err *err);

/* Begins to take samples. Returns 0 or a negative errno with @err set. */
int source_start(struct source *source, struct err *err);

/*
 * Takes the samples that are due, or that the kernel has taken. Call it when a descriptor is
 * readable, and after SIGCHLD. Returns 0 or a negative errno.
 */
int source_take(struct source *source);

/* Ends sampling. No thread of another process waits for the recorder any more. */
void source_stop(struct source *source);

/* Descriptors that poll readable when source_take has work. They are the source's. */
const int *source_fds(const struct source *source, size_t *nr);

/* What is sampled. Good while the source is. */
const struct event_name *source_event(const struct source *source);

/* Does the kernel let it sample while the kernel itself runs? */
bool source_has_kernel(const struct source *source);

/* Records of processes that were lost so far. */
uint64_t source_nr_lost(const struct source *source);

/*
 * Has @pid begun an address space or ended, as the kernel tells, and source_take has not yet? Of a
 * process that is not sampled, nobody tells.
 */
bool source_has_changed(struct source *source, uint32_t pid);

/* What the samples lack of functions of interpreted languages, for people; NULL: nothing. */
const char *source_lacks(const struct source *source);

#endif
