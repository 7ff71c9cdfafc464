/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's helper functions would tell a program of the sampled task (program.h). */
#ifndef RECORD_SAMPLING_PROGRAM_PROGRAM_SAMPLE_H
#define RECORD_SAMPLING_PROGRAM_PROGRAM_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct looker;

/* A process as far as the program asks for it. All zero: nothing is known. */
struct program_process {
	uint32_t pid;
	uint32_t uid;
	bool has_uid;
	uint64_t start; /* any number that tells it from an earlier process of its id */
	uint64_t nr_execs;
	uint64_t exec_pages;                        /* any number that changes when it maps code */
	uint64_t start_code, end_code, start_stack; /* as in /proc/PID/stat; 0: not known */
	uint64_t exe_dev, exe_ino;                  /* of the executable, as stat tells them */
	uint64_t cgroup; /* the id by which record/looks/cgroup_paths.h has it; 0: not known */
	bool is_followed;
};

/* Memory of the sampled thread. */
struct program_memory {
	/* A copy of the stack, from the stack pointer on. Of a stopped thread there is none. */
	uint64_t begin;
	size_t nr;
	const char *copy;
	bool is_whole; /* the copy goes as far as the stack */
	/*
	 * The thread waits while the program runs. So all memory can be read as it was at the time
	 * of the sample. Else only that can be read which hardly changes: code, and data of
	 * languages whose frames are on the stack.
	 */
	bool is_stopped;
};

struct program_sample {
	const struct program_process *process;
	uint32_t tid;
	char comm[16];
	uint32_t cpu; /* position among the possible CPUs */
	uint64_t time_ns;
	struct user_regs_struct regs; /* of user space; all 0 if there are none */
	bool has_thread_pointer;      /* it is known, in regs */
	struct program_memory memory;
	struct looker *looker; /* reads the memory of other users' processes; NULL: nobody does */
	const uint64_t *kernel_frames; /* leaf first */
	size_t nr_kernel_frames;       /* 0: the sample hit user space */
};

/* What the program would have liked to know of a sample. */
struct program_wants {
	bool more_stack; /* the copy of the stack ended before the walk */
};

#endif
