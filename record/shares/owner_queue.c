// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/shares/owner_queue.h"

#include <errno.h>
#include <string.h>

#include "record/shares/owner_ids.h"

static size_t nr_of(const struct owner_queue *q, uint32_t uid)
{
	size_t nr = 0;

	vec_for_each(&q->waiting, e)
		nr += e->uid == uid;
	return nr;
}

static void remove_at(struct owner_queue *q, size_t at, struct queue_entry *removed)
{
	*removed = q->waiting.data[at];
	q->waiting.nr--;
	memmove(q->waiting.data + at, q->waiting.data + at + 1,
		(q->waiting.nr - at) * sizeof(*q->waiting.data));
}

/* The last entry of the user, other than root, with most entries; of root if there is no other. */
static size_t find_excess(const struct owner_queue *q)
{
	size_t at = q->waiting.nr - 1, most = 0;

	for (size_t i = q->waiting.nr; i-- > 0;) {
		const struct queue_entry *e = &q->waiting.data[i];
		size_t nr = e->uid ? nr_of(q, e->uid) : 0;

		if (nr > most) {
			most = nr;
			at = i;
		}
	}
	return at;
}

int owner_queue_add(struct owner_queue *q, uint32_t uid, uint32_t tag, struct queue_entry *lost)
{
	if (vec_push(&q->waiting, ((struct queue_entry){owner_id(uid), tag})))
		return -ENOMEM;
	if (q->waiting.nr <= q->max)
		return 0;
	remove_at(q, find_excess(q), lost);
	return 1;
}

/*
 * Users take turns by their ids: the one with the next higher id follows, and the lowest follows
 * the highest. Root (0) is always next.
 */
bool owner_queue_take(struct owner_queue *q, owner_queue_may_fn may, void *ctx,
		      struct queue_entry *entry)
{
	size_t best = q->waiting.nr;
	uint64_t best_distance = UINT64_MAX;

	for (size_t i = 0; i < q->waiting.nr; i++) {
		uint32_t uid = q->waiting.data[i].uid;
		/* From the user after the last one on, 0 is the nearest. */
		uint64_t distance = uid ? UINT64_C(1) + (uint32_t)(uid - q->last) : 0;

		if (distance < best_distance && (!may || may(ctx, uid))) {
			best = i;
			best_distance = distance;
		}
	}
	if (best == q->waiting.nr)
		return false;
	remove_at(q, best, entry);
	if (entry->uid)
		q->last = (uint64_t)entry->uid + 1;
	return true;
}

void owner_queue_deinit(struct owner_queue *q)
{
	vec_free(&q->waiting);
}
