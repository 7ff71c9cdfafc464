/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up the BPF programs by the options and loads them. Attaches nothing. */
#ifndef RECORD_SAMPLING_BPF_SAMPLER_LOAD_H
#define RECORD_SAMPLING_BPF_SAMPLER_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/sampling/bpf/entry_programs.h"
#include "record/sampling/bpf/events.h"
#include "record/sampling/bpf/filters.h"
#include "record/sampling/bpf/set_memory.h"
#include "record/host/stack_depth.h"

/* The programs that run for each hit of a probe. */
enum hit_program {
	HIT_TRACEPOINT,
	HIT_WEIGHTED_TRACEPOINT,
	HIT_KERNEL_CALL,
	HIT_USER_CALL,
	NR_HIT_PROGRAMS,
};

/* How programs are attached to functions of the kernel. */
enum kernel_way {
	KERNEL_BY_ANY,   /* in the first of these ways that the kernel has */
	KERNEL_BY_MULTI, /* kprobe.multi: one call for many functions (Linux 5.18, CONFIG_FPROBE) */
	KERNEL_BY_KPROBE, /* one perf event each (CONFIG_KPROBES) */
	KERNEL_BY_FENTRY, /* one program each (CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS, BTF) */
};

/* All zero: time off the CPU is not recorded. */
struct off_cpu_options {
	bool is_on;
	bool by_state; /* an event for each enum off_cpu_state */
	bool takes_wakers;
	uint32_t event;  /* its number, or that of the first state */
	uint64_t min_ns; /* shorter waits are left out */
	uint64_t max_ns; /* longer ones, too; 0: no limit */
};

struct sampler_options {
	bool is_own; /* the program runs in the recorder (record/sampling/program/), not in the
			kernel */
	const struct filters *filters;
	const u32_vec *cpus;          /* the sampled CPUs */
	const struct events *events;  /* the sampled event */
	uint32_t nr_events;           /* of the recording, 1 at least */
	uint32_t sample_event;        /* the number of the sampled one among them */
	bool has_hits;                /* some events are hits of probes */
	bool hits[NR_HIT_PROGRAMS];   /* the programs that hits need */
	bool has_user_multi;          /* attach to many functions by one call */
	enum kernel_way kernel_way;   /* not KERNEL_BY_ANY if functions are probed */
	uint32_t entry_btf_id;        /* by fentry: one of the functions */
	uint64_t hit_period;          /* 1 hit in this many is counted */
	bool measures_cost;           /* the programs measure what they cost */
	bool may_shed;                /* counted hits may stand for others, too */
	const struct weight *weights; /* one for each event; NULL: all hits count 1 */
	uint64_t sample_weight;       /* what each sample of the perf event adds to its count */
	struct off_cpu_options off_cpu;
	uint64_t stack_storage; /* stacks that both sets hold together */
	uint64_t hash_storage;  /* counts that both sets hold together */
	bool no_slices;         /* counts are not kept by slices of time */
	uint64_t slice_ns;      /* the length of a slice */
	bool keep_tids;         /* counts are of threads by their ids, too */
	struct stack_depth depth;
	bool no_user, no_kernel; /* take no stacks of user space, of the kernel */
	bool include_idle;
	bool has_chosen_cpus; /* the user asked for some CPUs alone */
	bool unwind;          /* walk stacks by tables: the caller will call unwinder_begin */
	bool languages;       /* with unwind: find functions of interpreted languages */
	uint32_t label_sets;  /* with unwind: keep labels of requests, as many sets; 0: none */
	bool traces;          /* with label_sets: keep ids of traces, too */
	const struct label_name *label_names; /* with label_sets: LABEL_KEYS_MAX keys */
};

struct profrec_bpf;

/*
 * Loads programs and maps. @entries, all zero, is to make copies of the program for fentry. Returns
 * 0 or a negative errno with @err set. The caller releases *@bpf with profrec_bpf__destroy, and
 * @entries in any case.
 */
int sampler_load(const struct sampler_options *options, struct entry_programs *entries,
		 struct profrec_bpf **bpf, struct err *err);

/* The room of a set of these options. */
void sampler_choose_sizes(const struct sampler_options *options, struct set_sizes *sizes);

/*
 * Has the kernel the helper functions of Linux 5.17 that a walk by tables calls? A process without
 * privileges to load BPF programs gets the answer no.
 */
bool sampler_can_unwind(void);

#endif
