/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of a file where a probe can be. At some of them the return address is on top of the stack,
 * as at the entry of a function. A walk along frame pointers would miss the caller there, because
 * fp is still the caller's. The file's call frame information tells which places these are: also
 * parts of functions that have a symbol but are no functions (.cold), and static probes in
 * functions that make no frame.
 */
#ifndef RECORD_PROBES_USER_PLACES_H
#define RECORD_PROBES_USER_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "elf/elf_image.h"

struct user_place {
	uint64_t off;       /* in the file */
	uint64_t semaphore; /* offset in the file of its counter of users; 0: it has none */
	bool is_entry;      /* the return address is on top of the stack, as at an entry */
};

typedef VEC(struct user_place) user_place_vec;

/*
 * Sorts the places of @elf and leaves each once. Sets is_entry as the call frame information says,
 * and leaves it where that says nothing. Returns 0 or -ENOMEM.
 */
int user_places_settle(const struct elf_image *elf, user_place_vec *places);

#endif
