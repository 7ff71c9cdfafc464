/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples whose stacks could not be walked when they were taken, since too little was known of
 * their processes (struct early_sample of bpf/shared.h). Their stacks are walked here, by the same
 * steps, as soon as all that a walk needs is known; at the latest when their set is drained.
 */
#ifndef RECORD_UNWIND_EARLY_SAMPLES_H
#define RECORD_UNWIND_EARLY_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "bpf/unwind.h"
#include "common/vec.h"
#include "record/unwind/table_maps.h"

struct early {
	struct early_sample *raw; /* NULL: it has been walked */
	struct count_key key;
	uint64_t time_ns;
	uint32_t set;
	bool is_taken;    /* its set has been taken */
	uint64_t *frames; /* leaf first */
	uint32_t nr_frames;
	enum stack_end end;
};

/* All zero but the depth: none. */
struct early_samples {
	VEC(struct early) samples;
	size_t nr_raw;    /* that have not been walked */
	size_t raw_bytes; /* of them */
	uint32_t max_depth;
	VEC(uint64_t) scratch;
};

/*
 * Finds what the process of @sample had mapped at @pc. Returns 1, 0 when nothing was there, or
 * -EAGAIN when that is not known yet.
 */
typedef int (*early_samples_find_fn)(void *ctx, const struct early_sample *sample, uint64_t pc,
				     struct unwind_mapping *mapping);

/* Adds a copy. Returns 0 or -ENOMEM. */
int early_samples_add(struct early_samples *early, const struct early_sample *sample);

/* The set has been taken: its samples are to be counted with it. */
void early_samples_take(struct early_samples *early, uint32_t set);

/*
 * Walks the stacks of all samples that have not been walked and for which @find knows enough; with
 * @is_last, those that were taken as far as it gets. Returns 0 or -ENOMEM.
 */
int early_samples_walk(struct early_samples *early, struct table_maps *store,
		       early_samples_find_fn find, void *ctx, bool is_last);

/* Removes the samples that were taken, when they have been counted. */
void early_samples_forget(struct early_samples *early);

void early_samples_deinit(struct early_samples *early);

#endif
