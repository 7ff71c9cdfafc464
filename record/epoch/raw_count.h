/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A count as it was drained, with its stacks. */
#ifndef RECORD_EPOCH_RAW_COUNT_H
#define RECORD_EPOCH_RAW_COUNT_H

#include "record/epoch/raw_stack.h"

/* The task that ended a wait. */
struct raw_waker {
	struct raw_stack user, kernel;
	uint32_t tgid; /* 0: the idle task, or one that is not visible */
};

struct raw_count {
	const struct count_key *key;
	struct count_value value;
	const struct slice_change *changes; /* as in struct sampled_count */
	size_t nr_changes;
	struct raw_stack user, kernel;
	struct raw_stack labels; /* struct label_values, if it has frames */
	struct raw_waker waker;  /* all zero: none is known */
};

#endif
