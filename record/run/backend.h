/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to take samples: BPF programs in the kernel, or, where the kernel refuses those, perf
 * events or ptrace (record/sampling/). The best one that the kernel allows is taken, unless the
 * user names one.
 */
#ifndef RECORD_RUN_BACKEND_H
#define RECORD_RUN_BACKEND_H

#include <stdint.h>

#include "common/err.h"
#include "record/run/record_options.h"

/* What was chosen. */
struct backend {
	enum backend_kind kind; /* not BACKEND_AUTO */
	bool all;               /* perf events: of all processes */
	char why[160];          /* it is not BPF; "" if it is, or if the user has asked for it */
};

/*
 * Chooses the backend for what @options ask for. An option that it cannot serve is an error, which
 * says what is missing. Returns 0 or a negative errno with @err set.
 */
int backend_choose(const struct record_options *options, struct backend *backend, struct err *err);

/*
 * Perf events need more open files than the limit allows. Turns to ptrace, unless the user has
 * named a backend, an option needs what ptrace lacks, or the kernel refuses it. Returns whether it
 * has.
 */
bool backend_fall_back(const struct record_options *options, struct backend *backend);

/* Its number in a recording: enum prof_backend. */
uint8_t backend_format_number(enum backend_kind kind);

/* What people call it. */
const char *backend_name(enum backend_kind kind);

#endif
