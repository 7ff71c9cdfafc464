/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of an epoch that belongs to user space: processes, mappings that samples hit, the
 * objects mapped there, and stacks.
 */
#ifndef RECORD_EPOCH_EPOCH_USER_H
#define RECORD_EPOCH_EPOCH_USER_H

#include <stdint.h>

#include "common/parse.h"
#include "record/epoch/epoch_sources.h"
#include "record/epoch/epoch_tables.h"
#include "record/epoch/placements.h"
#include "record/epoch/raw_stack.h"
#include "record/epoch/rescans.h"

/* All zero but the pointers: empty. */
struct epoch_user {
	const struct epoch_sources *sources;
	struct epoch_tables *tables;
	struct placements placements;
	struct rescans rescans;
	u32_vec frames; /* of the stack at hand */
};

/* A stack of user space, with its process and its time. */
struct user_stack {
	struct address_space *space;
	uint64_t time_ns; /* CLOCK_MONOTONIC: says which mappings count */
	const struct raw_stack *raw;
};

/*
 * Before the stacks of a drain are added: reads /proc again if this one has addresses without a
 * mapping. Returns 0 or -ENOMEM.
 */
int epoch_user_prepare(struct epoch_user *user, const struct user_stack *stack);

/* Adds a stack and its process, and puts their ids into @row. Returns 0 or -ENOMEM. */
int epoch_user_add(struct epoch_user *user, const struct user_stack *stack, struct prof_count *row);

/* Call it when the tables are emptied. */
void epoch_user_reset(struct epoch_user *user);

void epoch_user_deinit(struct epoch_user *user);

#endif
