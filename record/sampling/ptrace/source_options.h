/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a source of samples is asked to do (record/run/sample_source.h). */
#ifndef RECORD_SAMPLING_PTRACE_SOURCE_OPTIONS_H
#define RECORD_SAMPLING_PTRACE_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/parse.h"
#include "record/process/sideband.h"
#include "record/sampling/bpf/event_names.h"

enum source_kind { SOURCE_PERF, SOURCE_PTRACE };

/* What is known of the executable mappings of a process. All zero: nothing. */
struct source_code {
	uint64_t hash;         /* of the mappings */
	uint64_t next_look_ns; /* CLOCK_MONOTONIC: an earlier look would cost too much */
	bool has_changed;      /* in the latest look */
};

/*
 * What a source by ptrace sees of processes, which no side-band tells there. The functions return
 * 0 or a negative errno.
 */
struct source_listener {
	/* A process forked, called exec or ended. */
	int (*record)(void *ctx, const struct sideband_record *record);
	/*
	 * The executable mappings of the process may have changed before @time_ns. Sets
	 * code->has_changed if they have.
	 */
	int (*look_at_code)(void *ctx, uint32_t pid, uint64_t time_ns, struct source_code *code);
	/*
	 * *@id receives an id of the cgroup of the process (record/looks/cgroup_paths.h), or 0.
	 */
	int (*find_cgroup)(void *ctx, uint32_t pid, uint64_t *id);
	void *ctx;
};

struct source_options {
	enum source_kind kind;
	const u32_vec *cpus;            /* the sampled ones */
	const struct event_name *event; /* NULL: the default */
	uint64_t freq_hz;               /* samples a second of CPU time; 0: use the period */
	uint64_t period;
	bool all;              /* all processes (perf events alone) */
	bool no_kernel;        /* take no stacks of the kernel */
	uint32_t command_pid;  /* a child whose end somebody else waits for; 0: none */
	struct looker *looker; /* touches processes of other users; borrowed */
	struct source_listener listener;
};

#endif
