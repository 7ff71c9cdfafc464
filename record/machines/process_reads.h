/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the memory of a process with a virtual machine. Only the looker calls this. */
#ifndef RECORD_MACHINES_PROCESS_READS_H
#define RECORD_MACHINES_PROCESS_READS_H

#include <stdbool.h>

#include "record/looks/looker.h"
#include "record/looks/resident_memory.h"
#include "record/machines/machine_memory.h"

/* What can be read of @memory, which is borrowed, without waiting for anybody. */
struct machine_memory machine_memory_of(struct resident_memory *memory);

/* The memory of a process, up to the time when the look at it has taken too long. */
struct timed_memory {
	struct look *look;
	struct resident_memory *pages;
	uint64_t begin_cpu_ns;
	bool is_over; /* nothing is read any more */
};

/* Begins reads of @pages in @look. Both are borrowed. */
struct timed_memory timed_memory_begin(struct look *look, struct resident_memory *pages);

/* What can be read of @timed, which is borrowed, as long as there is time. */
struct machine_memory machine_memory_in_time(struct timed_memory *timed);

#endif
