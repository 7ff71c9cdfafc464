/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that counts samples, compiled for the recorder itself. Where the kernel refuses BPF,
 * somebody else takes the samples (record/sampling/), and the program of bpf/ walks and counts them
 * here: the same code, the same maps, so the same recording. What the kernel's helper functions
 * tell a program of the sampled task, struct program_sample tells it here.
 *
 * One thread uses it.
 */
#ifndef RECORD_SAMPLING_PROGRAM_PROGRAM_H
#define RECORD_SAMPLING_PROGRAM_PROGRAM_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/owner_room.h"
#include "record/sampling/program/program_sample.h"

/* What the program and the recorder share while it runs, here or in the kernel. */
struct program_state {
	volatile __u32 *active_set;
	struct set_state *set_states;
	volatile __u64 *slices_begin_ns, *sampling_end_ns;
	volatile __u64 *seen_period;
	volatile __u32 *shed_gaps;
	const volatile __u64 *nr_unmarked, *nr_early_refused, *nr_other_labels, *nr_other_traces;
	struct owner_room *early_rooms, *name_rooms;
	struct named_functions *named_functions;
	struct owner_room (*label_rooms)[OWNER_ROOMS];
};

struct bpf_map;
struct profrec_bpf;
struct set_state;

/*
 * Makes the maps that @bpf, which was opened and not loaded, describes, and takes over its
 * settings. Returns 0 or a negative errno. The end is due in either case.
 */
int program_begin(struct profrec_bpf *bpf);

/* Frees the maps. */
void program_end(void);

/* The descriptor of a map of @bpf (record/sampling/program/maps.h), or -1. */
int program_map_fd(const struct profrec_bpf *bpf, const struct bpf_map *map);

void program_state(struct program_state *state);

/* Runs the program for @sample. */
void program_take_sample(const struct program_sample *sample, struct program_wants *wants);

/*
 * Does the process have functions of a language that are known only while its threads wait? Their
 * frames are in memory that changes with each call.
 */
bool program_needs_stop(uint32_t pid);

/*
 * A switch of threads, as the scheduler tells a program of it. Only the kernel's programs hear of
 * switches; these are for tests of bpf/count/off_cpu.h.
 */
struct program_switch {
	const struct program_sample *leaving; /* the current thread; of process 0: the idle task */
	uint32_t next;                        /* the id of the thread that comes; 0: idle */
	uint32_t state;                       /* task_struct.__state of the one that leaves */
	bool is_preempted;
	uint64_t nr_left; /* how often it has left the CPU */
	uint64_t ran_ns;  /* its time on the CPU */
};

void program_switch_threads(const struct program_switch *s);

/* The thread of @waker wakes thread @tid. */
void program_wake(const struct program_sample *waker, uint32_t tid);

/* Counts @nr samples that were due, and could not be taken, as lost. @cpu is a position. */
void program_lose_samples(uint32_t cpu, uint64_t nr);

#endif
