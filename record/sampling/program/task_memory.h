/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the sampled task, for the program that is compiled for the recorder: pages of the
 * process, or the copy of its stack. Every read of a walk goes through the two helper functions.
 *
 * No read may wait for somebody else, so it goes by the rules of record/looks/resident_memory.h.
 * A process can still map something else between the look at a page and its read. So the looker
 * reads the memory of users other than the recorder's, because its answers are waited for only so
 * long.
 */
#ifndef RECORD_SAMPLING_PROGRAM_TASK_MEMORY_H
#define RECORD_SAMPLING_PROGRAM_TASK_MEMORY_H

#include "record/sampling/program/program_sample.h"

/* The reads from now on are of @sample, and note in @wants what they miss. Both are borrowed. */
void task_memory_begin(const struct program_sample *sample, struct program_wants *wants);

/* The walk of the sample has ended. */
void task_memory_end(void);

/* As the kernel's helper functions (bpf-helpers(7)). */
long bpf_probe_read_user(void *to, uint32_t size, const void *from);
long bpf_probe_read_user_str(void *to, uint32_t size, const void *from);

#endif
