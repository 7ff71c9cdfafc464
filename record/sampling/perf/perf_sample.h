/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes the samples of record/sampling/perf/perf_events.h (include/uapi/linux/perf_event.h). */
#ifndef RECORD_SAMPLING_PERF_PERF_SAMPLE_H
#define RECORD_SAMPLING_PERF_PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/sampling/program/program.h"

/* How a sample begins: PERF_SAMPLE_TID, TIME and CPU. */
struct perf_sample_head {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

/*
 * Fills in the registers, the copy of the stack, and the frames of the kernel if @has_chain. They
 * point into the record. *@cgroup receives the id of the cgroup; it is NULL if samples have none.
 * Returns false if the record does not hold what it says.
 */
bool perf_sample_decode(const struct perf_sample_head *record, bool has_chain,
			struct program_sample *sample, uint64_t *cgroup);

#endif
