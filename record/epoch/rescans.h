/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Second looks at /proc. Where the kernel dropped records of the side-band, or a process was hidden
 * at the start, not all of its mappings are known. If a sample has an address without a mapping
 * then, the recorder reads the mappings of its process from /proc, once in each drain.
 */
#ifndef RECORD_EPOCH_RESCANS_H
#define RECORD_EPOCH_RESCANS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/epoch/raw_stack.h"
#include "record/process/address_spaces.h"
#include "record/looks/look_budget.h"

/* All zero: none, and no limit. */
struct rescans {
	struct look_budget *looks; /* looks are charged to it; NULL: to nobody, and never wait */
	VEC(uint64_t) generations; /* of the address spaces that were read in this drain */
	struct index by_generation;
	uint32_t owned_pid, uid; /* the latest process that was asked for, and its user */
};

/* Was @space read in this drain? */
bool rescans_has(const struct rescans *rescans, const struct address_space *space);

/*
 * Reads the mappings of the process in @space into @spaces, in force from now on. Does so if no
 * known mapping held an address of @stack at @time_ns, if more mappings may be found, and if the
 * process need not wait for its next look. Returns 0 or -ENOMEM.
 */
int rescans_look(struct rescans *rescans, struct address_spaces *spaces,
		 struct address_space *space, const struct raw_stack *stack, uint64_t time_ns);

/* Another drain begins. */
void rescans_clear(struct rescans *rescans);

void rescans_deinit(struct rescans *rescans);

#endif
