/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The labels of requests in an epoch: from the program's words to sets of texts. */
#ifndef RECORD_EPOCH_EPOCH_LABELS_H
#define RECORD_EPOCH_EPOCH_LABELS_H

#include <stdint.h>

#include "common/index.h"
#include "record/epoch/epoch_sources.h"
#include "record/epoch/epoch_tables.h"
#include "record/epoch/raw_stack.h"

struct known_labels {
	uint64_t id;  /* as in struct count_key */
	uint32_t set; /* of the epoch */
};

/* All zero but the pointers: there are none. */
struct epoch_labels {
	const struct epoch_sources *sources;
	struct epoch_tables *tables;
	VEC(struct known_labels) known;
	struct index by_labels;
};

/* Sets *@set to that of the epoch for the labels in @raw. Returns 0 or -ENOMEM. */
int epoch_labels_find(struct epoch_labels *labels, const struct raw_stack *raw, uint32_t *set);

/* The tables are emptied for another epoch. */
void epoch_labels_reset(struct epoch_labels *labels);

void epoch_labels_deinit(struct epoch_labels *labels);

#endif
