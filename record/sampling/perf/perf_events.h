/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf events of a source, and the ring buffers that they write to. An event of a thread counts
 * on one CPU, so each thread has two events on each: one takes samples, and one, the teller, counts
 * nothing, but tells of mappings, names, and the begin and end of threads. All samples of a CPU
 * share a buffer, and all that tellers say there another one, so that whoever has much to tell
 * takes no room from samples. Threads that a thread starts inherit its events.
 */
#ifndef RECORD_SAMPLING_PERF_PERF_EVENTS_H
#define RECORD_SAMPLING_PERF_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vec.h"
#include "record/sampling/ptrace/source_options.h"

/*
 * Bytes of a stack that are copied. Hardly any stack is larger. A thread of a process that had one
 * is stopped for its samples, and its stack is read as far as the walk goes.
 */
#define PERF_STACK_BYTES 16384

struct perf_ring {
	uint32_t cpu;      /* its number */
	uint32_t position; /* among the possible CPUs */
	bool tells;        /* it has no samples */
	size_t bytes;      /* of records */
	int fd;            /* of the event that has the buffer; -1: none yet */
	struct perf_event_mmap_page *page;
	uint64_t nr_lost; /* samples of the kernel, as perf_events_take_lost has found */
};

struct perf_event_fd {
	int fd;
	bool takes_samples, begins_at_exec;
	uint32_t ring; /* the number of its buffer */
};

struct perf_events {
	struct source_options options;
	struct event_name event;
	bool is_chosen;            /* event and has_kernel are known */
	bool has_kernel;           /* the event counts in the kernel, too */
	bool has_build_ids;        /* mappings are told with them (Linux 5.12) */
	bool has_cgroups;          /* and samples with ids of cgroups (Linux 5.7) */
	bool has_frames_of_kernel; /* and samples have its frames */
	bool counts_lost;          /* events say how many samples are lost (Linux 6.0) */
	bool is_running;
	uint32_t nr_per_sample; /* samples of the kernel for each that is wanted */
	size_t page_size, ring_bytes;
	struct perf_ring *rings;       /* those of samples first, in the order of CPUs */
	size_t nr_rings;               /* two for each CPU */
	VEC(struct perf_event_fd) fds; /* all events */
	VEC(int) ring_fds;             /* those with buffers */
	VEC(uint32_t) tids;            /* whose events are open; none with options.all */
};

/*
 * With options->all, opens the events of all threads. Returns 0 or a negative errno with @err set.
 * The caller calls perf_events_close in either case.
 */
int perf_events_open(struct perf_events *events, const struct source_options *options,
		     struct err *err);

void perf_events_close(struct perf_events *events);

/*
 * Opens the events of a thread, or of all threads of a process. Returns 0, -ESRCH if there is none,
 * or another negative errno with @err set.
 */
int perf_events_add(struct perf_events *events, uint32_t id, bool is_thread, struct err *err);

/* Enables all events. Returns 0 or a negative errno with @err set. */
int perf_events_enable(struct perf_events *events, struct err *err);

void perf_events_disable(struct perf_events *events);

/*
 * For how long the threads have run, in nanoseconds, those that have ended included. Returns 0 if
 * the event is no clock, since it counts something else then.
 */
uint64_t perf_events_ran_ns(const struct perf_events *events);

/*
 * How many samples of the kernel had no room in buffer number @ring since the last call. 0 unless
 * counts_lost.
 */
uint64_t perf_events_take_lost(struct perf_events *events, uint32_t ring);

#endif
