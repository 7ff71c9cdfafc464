/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes and threads that a source samples, as far as the program asks for them
 * (record/sampling/program/program.h). They come from /proc at first sight, and are kept up to date
 * by what the source is told.
 */
#ifndef RECORD_SAMPLING_PTRACE_TARGETS_H
#define RECORD_SAMPLING_PTRACE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/sampling/program/program.h"
#include "record/sampling/ptrace/source_options.h"

/* Of the CPU time of a thread, as the kernel counts it. */
struct thread_ticks {
	uint64_t user, kernel;
};

struct target_thread {
	uint32_t tid, pid;
	char comm[16];
	bool has_comm;
	/* By ptrace (record/sampling/ptrace/ptrace_source.c): */
	bool is_stopped, is_due, is_exiting;
	bool is_idle; /* it has not run between the last two looks */
	bool is_new;  /* it was begun under our eyes, and has not been seen elsewhere since */
	uint64_t begin_ip, begin_sp; /* where it begins, once it has stopped there; else 0 */
	int stat_fd;                 /* of schedstat; -1: not open */
	uint32_t cpu;                /* that it ran on last: a position among the possible ones */
	uint64_t ran_ns;             /* its CPU time, when it was last read */
	uint64_t owed_ns;            /* of it, not sampled yet */
	bool has_lot;                /* its first sample is due by lot, not by what it owes */
	struct thread_ticks first_ticks, ticks; /* when it was looked at */
	uint32_t nr_taken, nr_in_calls; /* samples; of them, those where a system call returned */
	uint32_t nr_asks;               /* for the sample that is due */
	uint32_t let_go_turn;           /* of the source, when the thread went on last */
	bool is_asked_again;            /* a moment later */
	/* By perf events (record/sampling/perf/perf_source.c): */
	uint32_t nr_skipped; /* samples since the last one that counted */
};

struct target_process {
	struct program_process known;
	bool is_read;            /* from /proc, since its last exec */
	bool is_in_exec;         /* it has called exec, and not been in user space since */
	struct source_code code; /* by ptrace */
	uint64_t faults;         /* of pages, when that was looked at */
	bool is_whole;           /* all its threads are meant, by ptrace */
	bool needs_stop;         /* its stacks are larger than copies of them */
};

/* Both lists ascend by id. All zero is empty. */
struct targets {
	VEC(struct target_process) processes;
	VEC(struct target_thread) threads;
	uint64_t nr_starts;    /* of processes so far: numbers them */
	struct looker *looker; /* touches processes of other users; borrowed, NULL: nobody does */
};

void targets_deinit(struct targets *targets);

/*
 * The process, which may be new to us. Returns NULL when memory is out. A pointer is good until
 * another process or thread comes or goes.
 */
struct target_process *targets_process(struct targets *targets, uint32_t pid);

/* The process if it is known, else NULL. */
struct target_process *targets_find_process(const struct targets *targets, uint32_t pid);

/* As these two, for a thread. */
struct target_thread *targets_thread(struct targets *targets, uint32_t pid, uint32_t tid);
struct target_thread *targets_find_thread(const struct targets *targets, uint32_t tid);

/* The process has called exec: all of it is new but the id. */
void targets_exec(struct targets *targets, struct target_process *process);

void targets_remove_thread(struct targets *targets, uint32_t tid);
void targets_remove_process(struct targets *targets, uint32_t pid);

/* Has the process other threads than @tid? */
bool targets_have_other_thread(const struct targets *targets, uint32_t pid, uint32_t tid);

/*
 * Reads what /proc tells of the process, unless it is known. @tid is a thread of it: the main
 * thread may have ended.
 */
void targets_read_process(const struct targets *targets, struct target_process *process,
			  uint32_t tid);

/*
 * How many page faults the process has had. Code that is new in its memory cannot run without one.
 * Returns 0 if that cannot be read.
 */
uint64_t targets_faults(const struct targets *targets, uint32_t pid);

/* Reads the name of the thread. */
void targets_read_comm(struct target_thread *thread);

#endif
