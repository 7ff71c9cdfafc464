/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session does otherwise where the kernel lets it load no BPF program: a source takes the
 * samples (record/sampling/), and tells of processes what the side-band tells elsewhere.
 */
#ifndef RECORD_RUN_WITHOUT_BPF_H
#define RECORD_RUN_WITHOUT_BPF_H

#include "common/err.h"
#include "record/run/apply_records.h"
#include "record/run/backend.h"
#include "record/looks/look_budget.h"
#include "record/process/sideband.h"
#include "record/run/record_options.h"
#include "record/run/sample_source.h"

/* All pointers are borrowed. All zero: BPF programs take the samples. */
struct without_bpf {
	const struct record_options *options;
	struct backend *backend;
	const u32_vec *cpus; /* the sampled ones */
	struct look_budget *looks;
	struct looker *looker;
	struct sideband *sideband;     /* of no CPU: hears what was lost */
	struct record_targets targets; /* of what the source tells of processes */
	uint32_t command_pid;          /* of the command, which has been forked; 0: none */
	/* These are its own: */
	struct source *source;
	mapping_vec mappings; /* of the process at hand */
	struct mapped_files files;
};

/*
 * Opens the source, and has it sample the processes that the options name. Where perf events need
 * more files than may be open, that may be another one, and @backend says so. The other members are
 * set. Returns 0 or a negative errno with @err set. The end is due in either case.
 */
int without_bpf_begin(struct without_bpf *without, struct err *err);

/* Takes the samples that are there. Returns 0 or a negative errno with @err set. */
int without_bpf_take(struct without_bpf *without, struct err *err);

void without_bpf_end(struct without_bpf *without);

#endif
