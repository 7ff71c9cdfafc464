/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probes of a run: from the patterns of -e to programs that are attached. A pattern is one
 * event, however many functions it matches. All patterns are resolved before any program is loaded,
 * so that the user hears of a mistake at once.
 */
#ifndef RECORD_PROBES_PROBES_H
#define RECORD_PROBES_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "format/prof.h"
#include "record/probes/hit_weights.h"
#include "record/probes/kernel_functions.h"
#include "record/probes/library.h"
#include "record/probes/pattern.h"
#include "record/probes/tracepoints.h"
#include "record/probes/user_functions.h"
#include "record/sampling/bpf/sampler.h"

/* A file with places in it. */
struct probed_file {
	struct library library;
	struct user_functions functions;
	void *mapped; /* by probes_map_files; NULL: it is not */
};

/* Where the hits of one event come from. */
struct probe_set {
	const struct pattern *pattern; /* NULL: no probes, as for samples of a perf event */
	enum hit_program program;
	tracepoint_vec tracepoints;
	VEC(struct probed_file) files;
	struct kernel_functions functions;
	u32_vec entries; /* BTF ids of the functions, if they are probed by fentry */
};

/* All zero: there are no probes. */
struct probes {
	VEC(struct prof_event) events; /* none: the recording holds samples alone */
	VEC(struct probe_set) sets;    /* one for each event */
	uint64_t nr_unattached[PROF_MAX_EVENTS];
	VEC(int) links;
	VEC(struct weight) weights; /* one for each event */
	bool has_weights;           /* one is not 1 */
	bool has_user_multi;
	enum kernel_way kernel_way; /* the caller's wish, then the way that was chosen */
	bool hits[NR_HIT_PROGRAMS]; /* the programs that are needed */
};

/* Resolves one more pattern. @weight is NULL if hits are counted. */
int probes_add(struct probes *probes, struct pattern *pattern, struct hit_weight *weight,
	       const u32_vec *pids, struct err *err);

/* Adds an event that needs no probes. Its strings are borrowed. */
int probes_add_event(struct probes *probes, const struct prof_event *event, struct err *err);

/*
 * Maps each file that has probes into this process as code, which makes it known to those who look
 * at processes. Returns how many files are mapped. Call probes_unmap_files afterwards.
 */
size_t probes_map_files(struct probes *probes);
void probes_unmap_files(struct probes *probes);

/* The BTF id of one of the functions that are probed by fentry; 0 if there are none. */
uint32_t probes_first_entry(const struct probes *probes);

/* Attaches the programs of @sampler. */
int probes_attach(struct probes *probes, struct sampler *sampler, struct err *err);

/* Detaches all programs. A program that runs at this moment may count until the next swap. */
void probes_detach(struct probes *probes);

void probes_deinit(struct probes *probes);

/*
 * The functions that return an int return 0 or a negative errno with @err set. @pattern and
 * @weight must outlive @probes; the pattern's kind is settled if it could be either of two. Without
 * @pids libraries are those of the host.
 */

#endif
