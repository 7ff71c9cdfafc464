/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory in which the BPF programs keep counts and stacks: its sizes and its drain. The
 * recorder maps a part of that memory at a time, and only while it reads it. So the memory of the
 * recorder stays small.
 */
#ifndef RECORD_SAMPLING_BPF_SET_MEMORY_H
#define RECORD_SAMPLING_BPF_SET_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "common/err.h"

/* The room of one set. */
struct set_sizes {
	uint32_t max_stacks, max_counts;
	uint32_t max_lines; /* of the stacks */
	uint32_t nr_stack_slots, nr_count_slots;
	uint32_t max_changes; /* of slices; 0: counts are not kept by slices */
};

/* Descriptors of the maps, which must be mmapable. They are the caller's. */
struct set_maps {
	int stack_slots, stack_lines, count_slots, slice_changes;
	struct set_sizes sizes;
};

/*
 * A count as it was drained. After the slice of its first hit it was in the slices of @changes,
 * which ascend by slice.
 */
struct sampled_count {
	const struct count_key *key;
	const struct count_value *value;
	const struct slice_change *changes;
	size_t nr_changes;
};

/* The receiver of a drain. Both functions return 0, or a negative errno that ends the drain. */
struct sampler_sink {
	int (*stack)(void *ctx, const struct stack_entry *stack);
	int (*count)(void *ctx, const struct sampled_count *count);
	void *ctx;
};

/*
 * Chooses the room of one set, such that all sets hold @stack_storage stacks and @hash_storage
 * counts. Stacks have at most @max_depth frames. Since most stacks are much less deep, the room is
 * for a part of that on average.
 */
void set_memory_choose(uint64_t stack_storage, uint64_t hash_storage, uint32_t max_depth,
		       struct set_sizes *sizes);

/*
 * Calls @sink for each stack of @set and then for each count, and clears the set. Programs must not
 * use the set, whose state is @state. Returns 0 or a negative errno, with @err set if a map cannot
 * be read.
 */
int set_memory_drain(const struct set_maps *maps, uint32_t set, const struct set_state *state,
		     const struct sampler_sink *sink, struct err *err);

#endif
