/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session is everything that a run sets up once, however many files it writes. It has the sampled
 * CPUs, the side-band and the address spaces, the sampler, the kernel's symbols, and the command.
 */
#ifndef RECORD_RUN_SESSION_H
#define RECORD_RUN_SESSION_H

#include <stdint.h>

#include "common/err.h"
#include "record/run/backend.h"
#include "record/sampling/program/rings.h"
#include "record/output/progress.h"
#include "record/process/address_spaces.h"
#include "record/looks/look_budget.h"
#include "record/process/new_processes.h"
#include "record/probes/probes.h"
#include "record/process/sideband.h"
#include "record/run/record_options.h"
#include "record/sampling/bpf/events.h"
#include "record/sampling/bpf/filters.h"
#include "record/sampling/bpf/overhead.h"
#include "record/sampling/bpf/sampler.h"
#include "record/symbols/file_names.h"
#include "record/symbols/jit.h"
#include "record/symbols/ksyms.h"
#include "record/symbols/vdso.h"
#include "record/host/command.h"
#include "record/looks/looker.h"
#include "record/shares/memory_budget.h"
#include "record/host/stack_depth.h"
#include "record/unwind/unwinder.h"
#include "record/run/without_bpf.h"

struct session {
	const struct record_options *options;
	struct progress *progress;
	struct err *err;
	u32_vec online;        /* the CPUs that were online at the start, ascending */
	u32_vec cpus;          /* the sampled CPUs, ascending */
	u32_vec changed_cpus;  /* the CPUs that went offline or came online since the start */
	struct looker *looker; /* touches what belongs to other processes */
	struct sideband *sideband;
	struct filters filters;
	struct stack_depth depth;
	struct events events; /* the sampled one; none if only hits are counted */
	struct probes probes;
	uint32_t nr_events;    /* of the recording, 1 at least */
	uint32_t sample_event; /* of the sampled one among them */
	struct off_cpu_options off_cpu;
	struct overhead overhead;
	size_t nr_found; /* threads that were off the CPU when the recording began */
	uint64_t waited_ns[PROF_MAX_EVENTS]; /* by threads that waited when the run ended */
	struct backend backend;
	struct sampler *sampler;
	bool is_own; /* by another backend than BPF */
	/*
	 * Without CAP_SYS_PTRACE, a process may look only at those that have no more capabilities
	 * than it has. So the recorder keeps its own then.
	 */
	bool keeps_rights;
	struct without_bpf without; /* who takes the samples then */
	bool has_kernel;            /* stacks of the kernel are taken */
	struct memory_watch memory_watch;
	struct file_names *names;    /* NULL: no names of functions in files */
	struct unwinder *unwinder;   /* NULL: stacks are walked along frame pointers */
	struct memory_budget memory; /* of what is known of processes */
	bool has_noted_memory;       /* the user knows that it does not suffice */
	struct look_budget looks;
	struct address_spaces spaces;
	struct new_processes new_processes;
	struct short_lives lives;
	struct rings *told; /* what the program tells of sampled processes */
	struct ksyms ksyms;
	struct vdso vdso;
	struct jit jit;
	struct command command;
};

/*
 * Looks up and checks the values of the options: filters, stack depth, CPUs. All pointers must
 * outlive the session. The functions of a session word their errors into @err and print notes
 * through @progress. Returns 0 or a negative errno. The caller calls session_deinit in either case.
 */
int session_init(struct session *session, const struct record_options *options,
		 struct progress *progress, struct err *err);

/*
 * Prepares everything before sampling can begin: opens the side-band, loads the programs, scans
 * /proc, forks the command. Returns 0 or a negative errno.
 */
int session_prepare(struct session *session);

/*
 * Attaches the probes, if there are any, and starts sampling: hits and samples are counted from
 * then on. Returns 0 or a negative errno.
 */
int session_attach(struct session *session);

/*
 * Does what can wait until sampling has begun: lets the command run, begins to read kallsyms.
 * Returns 0 or a negative errno.
 */
int session_start(struct session *session);

/* Ends sampling: no program takes a sample after this function has returned. */
void session_stop(struct session *session);

/* Do so many records of the side-band wait that sorting them takes time? */
bool session_has_many_records(const struct session *session);

/* Makes room in the side-band's buffers, and applies nothing. Returns 0 or a negative errno. */
int session_collect_records(struct session *session);

/*
 * Takes the samples that no BPF program takes. Call it often where there is a source. Returns 0 or
 * a negative errno.
 */
int session_take_samples(struct session *session);

/*
 * Applies the side-band's records of up to @until_ns (CLOCK_MONOTONIC). The caller vouches that the
 * kernel has written all these records. Returns 0 or a negative errno.
 */
int session_apply_records(struct session *session, uint64_t until_ns);

/*
 * Looks what counting costs, and says so if it is too much, or has fewer hits counted. Returns 0 or
 * a negative errno.
 */
int session_watch_overhead(struct session *session);

/*
 * Does the work that waits for the unwinder and for the names, if there are these. Returns 0 or a
 * negative errno.
 */
int session_unwind(struct session *session);

/*
 * Forgets mappings and processes that ended before @time_ns (CLOCK_MONOTONIC), with the files that
 * are held for them. Returns 0 or -ENOMEM.
 */
int session_forget(struct session *session, uint64_t time_ns);

/* The keys of the labels of requests that are kept, or NULL. */
const struct label_keys *session_labels(const struct session *session);

void session_deinit(struct session *session);

#endif
