/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Second looks at /proc. Mappings of a process are unknown if the kernel dropped records of the
 * side-band, or if the process was hidden at the start. If a sample then has an address without a
 * mapping, the recorder reads the mappings of the process from /proc, once in each drain.
 */
#ifndef RECORD_EPOCH_RESCANS_H
#define RECORD_EPOCH_RESCANS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/epoch/raw_stack.h"
#include "record/process/address_spaces.h"

/* All zero: none. */
struct rescans {
	VEC(uint64_t) generations; /* of the address spaces that were read in this drain */
	struct index by_generation;
};

/* Was @space read in this drain? */
bool rescans_has(const struct rescans *rescans, const struct address_space *space);

/*
 * Looks at @stack, which was taken in @space at @time_ns. If an address of it has no known mapping,
 * and /proc may have more, reads the mappings of the process into @spaces, in force from now on.
 * Returns 0 or -ENOMEM.
 */
int rescans_look(struct rescans *rescans, struct address_spaces *spaces,
		 struct address_space *space, const struct raw_stack *stack, uint64_t time_ns);

/* Call it when another drain begins: each process may be read once more. */
void rescans_clear(struct rescans *rescans);

void rescans_deinit(struct rescans *rescans);

#endif
