/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's hold on the BPF programs that count samples. It attaches the programs to the
 * events, and it swaps and drains the two sets of maps that the programs count in.
 */
#ifndef RECORD_SAMPLING_BPF_SAMPLER_H
#define RECORD_SAMPLING_BPF_SAMPLER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/shared.h"
#include "common/err.h"
#include "common/parse.h"
#include "record/sampling/bpf/events.h"
#include "record/sampling/bpf/memory_watch.h"
#include "record/sampling/bpf/sampler_load.h"
#include "record/sampling/bpf/set_memory.h"
#include "record/unwind/table_maps.h"

struct sampler;

/* The time of a swap, CLOCK_MONOTONIC. */
struct swap {
	uint64_t begin_ns, end_ns;
};

/* Loads programs and maps, but attaches none. Returns 0 or a negative errno with @err set. */
int sampler_create(const struct sampler_options *options, struct sampler **sampler,
		   struct err *err);

/* Detaches all programs and frees the maps. @sampler may be NULL. */
void sampler_destroy(struct sampler *sampler);

/*
 * Makes the kernel mark the children that followed tasks fork from now on. The filters must follow.
 * Call it before sampler_follow. Returns 0 or a negative errno with @err set.
 */
int sampler_attach_follower(struct sampler *sampler, struct err *err);

/*
 * Marks the process of @pidfd as a followed one, so that its samples pass the filters, all or those
 * after its next exec. Returns 0, -ESRCH if the process has gone, or another negative errno with
 * @err set.
 */
int sampler_follow(struct sampler *sampler, int pidfd, enum follow_mark how, struct err *err);

/*
 * How many children of followed tasks the kernel could not mark so far. The filters leave out
 * samples of these children and of their descendants.
 */
uint64_t sampler_unfollowed(const struct sampler *sampler);

/* Samples so far whose stacks had to wait for tables, and had no room to be copied. */
uint64_t sampler_early_refused(const struct sampler *sampler);

/* Samples so far whose labels of requests found no room. */
uint64_t sampler_other_labels(const struct sampler *sampler);

/* Samples so far whose trace found no room. They have their other labels, or count among those. */
uint64_t sampler_other_traces(const struct sampler *sampler);

/*
 * Begins to add changes of memory that @sideband leaves out to its records. The sampler and
 * @sideband must outlive @watch. Returns 0 or a negative errno with @err set. The end of @watch is
 * due in any case.
 */
int sampler_watch_memory(struct sampler *sampler, struct sideband *sideband,
			 struct memory_watch *watch, struct err *err);

/*
 * Attaches the sampling program to the events and enables them. Returns 0 or a negative errno with
 * @err set.
 */
int sampler_attach(struct sampler *sampler, const struct events *events, struct err *err);

/*
 * The descriptor of the program for hits of one kind, which sampler_options asked for. It is the
 * sampler's.
 */
int sampler_hit_program(const struct sampler *sampler, enum hit_program which);

/*
 * Loads a copy of the program for calls of kernel functions that is attached by fentry, to the
 * function @btf_id. The options named such a function. Returns a descriptor, which is the
 * sampler's, or a negative errno.
 */
int sampler_copy_entry(struct sampler *sampler, uint32_t btf_id);

/*
 * How many hits the kernel kept from the programs so far, because another program ran on the CPU.
 * Kernels before 6.7 do not tell for all probes.
 */
uint64_t sampler_skipped_hits(const struct sampler *sampler);

/* Detaches all programs of sampler_attach. A program that runs at this moment may count until the
 * next swap. */
void sampler_detach(struct sampler *sampler);

/*
 * Begins to sum up the time off the CPU, which sampler_options asked for. Returns 0 or a negative
 * errno with @err set.
 */
int sampler_attach_off_cpu(struct sampler *sampler, struct err *err);

/*
 * Calls @visit for each thread that waits off the CPU. Threads come and go meanwhile, unless the
 * programs are detached. Returns 0, a negative errno with @err set, or the errno of @visit.
 */
int sampler_visit_waiting(struct sampler *sampler,
			  int (*visit)(void *ctx, const struct waiting_thread *thread), void *ctx,
			  struct err *err);

/*
 * Finds the threads that are off the CPU already: their time begins now. Calls @found for each that
 * has a user stack. Call it after sampler_attach_off_cpu. Returns 0, a negative errno with @err
 * set, or the errno of @found.
 */
int sampler_find_waiting(struct sampler *sampler,
			 int (*found)(void *ctx, const struct found_thread *thread), void *ctx,
			 struct err *err);

/* Counts one more hit of the event of @key, beside those of the programs. */
void sampler_count_waiting(struct sampler *sampler, const struct count_key *key);

/* Where the programs say what they cost, and hear which hits to count (bpf/count/hit_cost.h). */
struct cost_maps {
	int costs;               /* a map of struct hit_cost for each event and CPU */
	volatile uint32_t *gaps; /* for each event */
	size_t nr_cpus;          /* possible ones */
};

void sampler_cost_maps(const struct sampler *sampler, struct cost_maps *maps);

/* Gives the maps that the unwinder fills. They stay the sampler's. */
void sampler_unwind_maps(const struct sampler *sampler, struct unwind_maps *maps);

/* The ring buffer in which the program tells of processes (struct told_process). */
int sampler_told_processes(const struct sampler *sampler);

/* A file descriptor that polls readable once a set has reached its watermark. */
int sampler_wakeup_fd(const struct sampler *sampler);

/* Consumes the pending wakeups: the descriptor is not readable until the next one. */
void sampler_clear_wakeups(struct sampler *sampler);

/*
 * Makes the set at rest the active one and waits until no program can write to the old set. All
 * samples of the new set were taken after swap->begin_ns. Programs that write to the old set had
 * begun by swap->end_ns, and the kernel has written all records of the side-band up to that time.
 * Returns 0 or a negative errno with @err set.
 */
int sampler_swap(struct sampler *sampler, struct swap *swap, struct err *err);

/* The number of the set that no program has written to since the last swap. */
uint32_t sampler_set_at_rest(const struct sampler *sampler);

/* Slice 0 of time begins at @begin_ns (CLOCK_MONOTONIC). Call it before the first sample. */
void sampler_begin_slices(struct sampler *sampler, uint64_t begin_ns);

/*
 * From @end_ns on (CLOCK_MONOTONIC), nothing is sampled and no wait ends, however late the programs
 * are detached. Call it before the first sample; else there is no such time.
 */
void sampler_end_at(struct sampler *sampler, uint64_t end_ns);

/*
 * Hands the set at rest to @sink and empties it. Call it after sampler_swap. Returns 0, a negative
 * errno with @err set, or the errno of the sink.
 */
int sampler_drain(struct sampler *sampler, const struct sampler_sink *sink, struct err *err);

/*
 * Adds up the totals of all sets that were drained since the last call, over all CPUs. @totals has
 * an element for each event. @cpu_taken receives the hits of all events on each of @cpus. The
 * totals match exactly the counts that sampler_drain handed out.
 */
void sampler_take_totals(struct sampler *sampler, struct totals *totals, const u32_vec *cpus,
			 uint64_t *cpu_taken);

/*
 * Reads how many samples were taken so far. The number is for people to look at, since it grows
 * meanwhile. Returns 0 or a negative errno with @err set.
 */
int sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *err);

#endif
