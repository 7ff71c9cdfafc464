/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the threads of a process publish the requests that they work for, and where:
 * OpenTelemetry's OTEP 4947. The context of the process (record/looks/process_context.h) says so,
 * and has the names of the attributes. Without it, a process of Go has the labels of its goroutines
 * (record/looks/go_labels.h).
 */
#ifndef RECORD_LOOKS_THREAD_CONTEXT_H
#define RECORD_LOOKS_THREAD_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "record/looks/label_keys.h"
#include "record/looks/looker.h"

/* What an earlier look has found. All zero: nobody has looked. */
struct seen_context {
	uint64_t addr, published_ns; /* of the context of the process; 0: there was none */
	bool is_go;                  /* its goroutines have labels, for as long as it lives */
};

/*
 * Has the looker find the thread context of @pid, for @keys. Returns 0 with *@found set; -EALREADY
 * if nothing has changed since @seen; -ENOENT if there is none, or none with such keys; or another
 * negative errno. Sets @seen.
 */
int thread_context_find(struct looker *looker, uint32_t pid, const struct label_keys *keys,
			struct seen_context *seen, struct thread_context *found);

#endif
