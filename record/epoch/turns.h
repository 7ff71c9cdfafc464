/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides a count whose addresses had several meanings. Plug-ins of one size can take turns at one
 * address, and all their samples are then one count. Of the samples only the number and the times
 * of the first and the latest are known. So each meaning gets a share by the time for which it was
 * in force.
 */
#ifndef RECORD_EPOCH_TURNS_H
#define RECORD_EPOCH_TURNS_H

#include <stdint.h>

#include "bpf/shared.h"
#include "common/vec.h"
#include "record/epoch/raw_stack.h"
#include "record/process/address_spaces.h"

/* A time at which the mappings of some addresses change. */
struct turn_change {
	uint64_t time_ns;
	uint64_t meaning; /* the sum of these up to a time says what is mapped then */
	int64_t nr_mapped;
};

/* The stretches of time in which all addresses of a stack had one meaning. */
struct turn {
	uint64_t time_ns; /* a time in it */
	uint64_t length_ns;
	uint64_t meaning;
	int64_t nr_mapped; /* addresses that are mapped */
	uint64_t nr_samples;
};

/* All zero: empty. */
struct turns {
	VEC(struct turn_change) changes;
	VEC(struct turn) turns; /* the result; those without samples do not count */
};

/*
 * Divides the samples of @value, two at least, whose user stack in @space is @stack. Time in which
 * fewer addresses were mapped than at other times counts for nobody. But the first and the latest
 * sample belong to their own times. Returns 0 or -ENOMEM.
 */
int turns_divide(struct turns *turns, const struct address_space *space,
		 const struct raw_stack *stack, const struct count_value *value);

void turns_deinit(struct turns *turns);

#endif
