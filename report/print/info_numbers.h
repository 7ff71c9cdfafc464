/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What profrep info counts in a recording, for its text and its JSON. */
#ifndef REPORT_PRINT_INFO_NUMBERS_H
#define REPORT_PRINT_INFO_NUMBERS_H

#include "common/parse.h"
#include "format/runtime_stacks.h"
#include "report/model/recording.h"

/* The stacks of all events. They are distinct by their frames alone. */
struct stack_numbers {
	uint64_t distinct;
	uint64_t cut;         /* of these, at the depth limit */
	uint64_t cut_samples; /* counts of rows with such a stack, of whatever unit */
};

/* Counts of an event by the ends of the stacks of user space that have frames. */
struct end_numbers {
	uint64_t by_end[PROF_NR_STACK_ENDS], all;
};

/* Counts of an event by what the stacks have of interpreted languages. */
struct language_numbers {
	uint64_t with, displaced, unread;
};

/* Counts of an event, of processes that were not described in full. */
struct lack_numbers {
	uint64_t user, exe, cgroup; /* without it */
};

/* Returns the number of sums of counts that the recording has: one for each event. */
static inline uint32_t nr_event_sums(const struct prof_meta *meta)
{
	return meta->nr_events ? meta->nr_events : 1;
}

/* Returns 0 or -ENOMEM. */
int stack_numbers_count(const struct model *model, struct stack_numbers *numbers);

/* Counts the address spaces in the rows, whatever their layouts. Returns 0 or -ENOMEM. */
int nr_processes_count(const struct model *model, uint64_t *nr);

struct end_numbers end_numbers_count(const struct model *model, uint32_t event);

struct lack_numbers lack_numbers_count(const struct model *model, uint32_t event);

/* @numbers has an element for each event. Returns 0 or -ENOMEM. */
int language_numbers_count(const struct recording *rec, struct language_numbers *numbers);

/*
 * Adds up the user stacks of @event by the runtimes without support that their processes have.
 * Returns 0 or -ENOMEM.
 */
int runtimes_stacks_count(const struct model *model, uint32_t event, struct runtimes_stacks *sums);

/*
 * Appends the keys of the labels of requests, strings of the model, each once, to @keys. Returns 0
 * or -ENOMEM.
 */
int distinct_label_keys(const struct model *model, u32_vec *keys);

#endif
