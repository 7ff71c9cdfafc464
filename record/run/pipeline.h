/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of samples into the file: the set at rest, the drain, the epoch, the recording. Each step
 * waits for another condition. A set has little room, so its samples move on at once. The epoch
 * needs the names of kernel symbols, and the recording grows by large epochs.
 */
#ifndef RECORD_RUN_PIPELINE_H
#define RECORD_RUN_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/epoch/drain.h"
#include "record/epoch/epoch.h"
#include "record/output/recordings.h"
#include "record/output/schedule.h"
#include "record/run/session.h"

struct pipeline {
	struct session *session;
	struct recordings *recordings;
	struct schedule *schedule;
	struct drain *drain;
	struct epoch *epoch;
	uint64_t drained_ns;   /* CLOCK_MONOTONIC: earlier samples have left the sets */
	size_t nr_exited;      /* exited address spaces that the last drain could not forget */
	uint64_t lost_records; /* of the side-band, up to the last drain */
	uint64_t nr_stacks;    /* rows written in the run */
	bool is_over; /* sampling has ended, so nothing is lost while names are waited for */
	/*
	 * Waits for the answers of session->names. Returns 0 when they are there, 1 when there is
	 * no more time for them, or a negative errno. Used when sampling is over.
	 */
	int (*wait_for_names)(void *ctx);
	void *wait_ctx;
	uint64_t used_bytes; /* of the memory budget, after the last drain */
};

/*
 * Call it after session_prepare. All pointers must outlive the pipeline. All functions word their
 * errors into the session's err. Returns 0 or a negative errno. The caller calls pipeline_deinit in
 * either case.
 */
int pipeline_init(struct pipeline *pipeline, struct session *session, struct recordings *recordings,
		  struct schedule *schedule);

/*
 * Keeps counts also by slices of time, unless the user asked for none. Slice 0 begins at @begin_ns
 * (CLOCK_MONOTONIC). Call it before the first sample.
 */
void pipeline_begin_slices(struct pipeline *pipeline, uint64_t begin_ns);

/* Swaps the sets, and moves all samples of the set at rest to the drain. 0 or a negative errno. */
int pipeline_take_set(struct pipeline *pipeline);

/*
 * Moves the time of threads that are off the CPU at the end of the run, @end_ns, to the drain. Call
 * it after sampling has ended and the last set was taken. Returns 0 or a negative errno.
 */
int pipeline_take_waiting(struct pipeline *pipeline, uint64_t end_ns);

/*
 * Moves all samples of the drain into the epoch, and forgets processes and mappings that no later
 * sample can have. Writes the epoch whenever it has grown large. Returns 0 or a negative errno.
 */
int pipeline_fill_epoch(struct pipeline *pipeline);

/*
 * Asks for the names that the epoch needs. From @urgent_ns (CLOCK_MONOTONIC) on somebody waits for
 * them. Returns 0 or a negative errno.
 */
int pipeline_ask_names(struct pipeline *pipeline, uint64_t urgent_ns);

/*
 * Writes the epoch, which ends at pipeline->drained_ns. The next epoch begins there. Returns 0 or a
 * negative errno.
 */
int pipeline_end_epoch(struct pipeline *pipeline);

/* Is a drain due because many early samples, or ended processes and mappings, are waiting? */
bool pipeline_wants_drain(const struct pipeline *pipeline);

/* Rows of the run so far, in the recordings and in the epoch. */
uint64_t pipeline_nr_stacks(const struct pipeline *pipeline);

/* All zero is fine. */
void pipeline_deinit(struct pipeline *pipeline);

#endif
