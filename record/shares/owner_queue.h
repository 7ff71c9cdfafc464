/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of fixed length in which the users of the host take turns: each has a queue of its own,
 * and one of the others comes between two of its entries. Root's entries come first. When the queue
 * is full, the user with most entries loses its last one.
 */
#ifndef RECORD_SHARES_OWNER_QUEUE_H
#define RECORD_SHARES_OWNER_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"

struct queue_entry {
	uint32_t uid, tag;
};

/* All zero but the length: nobody waits. */
struct owner_queue {
	uint32_t max;
	uint64_t last;                   /* the user who had the last turn, and 1 */
	VEC(struct queue_entry) waiting; /* in the order in which they came */
};

/*
 * Adds @tag of user @uid. Returns 0; 1 when *@lost had to leave the queue, which may be the new
 * entry; or -ENOMEM.
 */
int owner_queue_add(struct owner_queue *queue, uint32_t uid, uint32_t tag,
		    struct queue_entry *lost);

/* May user @uid have a turn now? */
typedef bool (*owner_queue_may_fn)(void *ctx, uint32_t uid);

/*
 * Takes the entry whose turn it is, among those of users that @may allows (NULL: of all). Returns
 * false if there is none.
 */
bool owner_queue_take(struct owner_queue *queue, owner_queue_may_fn may, void *ctx,
		      struct queue_entry *entry);

void owner_queue_deinit(struct owner_queue *queue);

#endif
