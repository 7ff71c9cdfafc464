/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user stacks of threads that were off the CPU when the recording began. The programs can walk
 * the current thread alone. So the looker copies the stack of such a thread out of its memory, and
 * the stack is walked like that of an early sample.
 */
#ifndef RECORD_UNWIND_FOUND_THREADS_H
#define RECORD_UNWIND_FOUND_THREADS_H

#include "bpf/shared.h"
#include "record/looks/looker.h"
#include "record/unwind/early_samples.h"

/* The stacks of at most this many threads are copied. */
#define FOUND_THREADS_MAX 1024

/*
 * Copies the stack of @thread and adds it to @early. A stack that cannot be read has its leaf
 * alone. Returns 0 or -ENOMEM.
 */
int found_threads_add(struct looker *looker, const struct found_thread *thread,
		      struct early_samples *early);

#endif
