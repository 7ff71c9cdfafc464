/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Early samples (struct early_sample of bpf/shared.h): when they were taken, too little was known
 * of their processes to walk their stacks. The recorder walks the copies of the stacks here, with
 * the code of the BPF program, as soon as it knows enough. At the latest it walks a stack when it
 * drains the set of the sample.
 */
#ifndef RECORD_UNWIND_EARLY_SAMPLES_H
#define RECORD_UNWIND_EARLY_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "bpf/walk/unwind.h"
#include "common/vec.h"
#include "record/machines/java_stretch.h"
#include "record/unwind/table_maps.h"

struct unwind_frame;

struct early {
	struct early_sample *raw;            /* NULL: its stack has been walked */
	VEC(struct early_stretch) stretches; /* of Java, as far as they have been walked */
	struct count_key key;
	uint64_t time_ns;
	uint64_t weight;
	uint32_t set;
	bool is_taken;    /* its set is being drained */
	uint64_t *frames; /* leaf first */
	uint32_t nr_frames;
	enum stack_end end;
};

/* With all fields 0 but max_depth there are no samples. */
struct early_samples {
	VEC(struct early) samples;
	size_t nr_raw;    /* samples whose stacks have not been walked */
	size_t raw_bytes; /* of these samples */
	uint32_t max_depth;
	VEC(__u64) scratch; /* frames of the stack that is being walked */
};

/*
 * Finds the mapping at @pc in the process of @sample. *@has_regex says whether its file is known to
 * be PCRE2. Returns 1; 0 if nothing was mapped there; -EAGAIN if that is not known yet; or -ENOMEM.
 */
typedef int (*early_samples_find_fn)(void *ctx, const struct early_sample *sample, uint64_t pc,
				     struct unwind_mapping *mapping, bool *has_regex);

/*
 * Walks frames of @sample in code of HotSpot, as java_stretch_walk. Returns 1, 0, or -ENOMEM.
 */
typedef int (*early_samples_java_fn)(void *ctx, const struct early_sample *sample,
				     struct unwind_frame *frame, struct java_stretch *stretch);

/* Who knows the processes of early samples. Each function gets its ctx. */
struct early_finder {
	early_samples_find_fn find;
	void *ctx;
	early_samples_java_fn walk_java; /* NULL: there is no Java */
	void *java_ctx;
};

/* Adds a copy of @sample. Returns 0 or -ENOMEM. */
int early_samples_add(struct early_samples *early, const struct early_sample *sample);

/* Notes that @set is being drained: its samples are to be counted with it. */
void early_samples_take(struct early_samples *early, uint32_t set);

/*
 * Walks all stacks that have not been walked and of which @finder knows enough. With @is_last, it
 * walks the stacks of taken samples as far as it gets. Returns 0 or -ENOMEM.
 */
int early_samples_walk(struct early_samples *early, struct table_maps *store,
		       const struct early_finder *finder, bool is_last);

/* Removes the taken samples. They must have been counted. */
void early_samples_forget(struct early_samples *early);

void early_samples_deinit(struct early_samples *early);

#endif
