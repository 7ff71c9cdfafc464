// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/shares/shares.h"

#include <errno.h>

#include "record/shares/owner_ids.h"

/* The place of @uid among the owners, or the number of owners. */
static uint32_t find_owner(const struct shares *s, uint32_t uid)
{
	const uint32_t id = owner_id(uid);
	uint32_t i = 0;

	while (i < s->owners.nr && s->owners.data[i].uid != id)
		i++;
	return i;
}

/* An owner of whom nothing is left to tell, or the number of owners. */
static uint32_t find_empty(const struct shares *s)
{
	uint32_t i = 0;

	while (i < s->owners.nr && (s->owners.data[i].held || s->owners.data[i].nr_lacked))
		i++;
	return i;
}

static int add_owner(struct shares *s, uint32_t uid, uint32_t *at)
{
	*at = find_owner(s, uid);
	if (*at < s->owners.nr)
		return 0;
	uid = owner_id(uid);
	*at = find_empty(s);
	/* The last one is the one that has all further owners. */
	if (*at == SHARES_OWNERS_MAX - 1)
		uid = SHARES_OTHERS;
	if (*at == SHARES_OWNERS_MAX) {
		*at = SHARES_OWNERS_MAX - 1;
		return 0;
	}
	if (*at == s->owners.nr && vec_push(&s->owners, (struct share_owner){0}))
		return -ENOMEM;
	s->owners.data[*at] = (struct share_owner){.uid = uid};
	return 0;
}

/* The owner, other than root, that holds most. NULL: nobody holds anything. */
static const struct share_owner *find_largest(const struct shares *s)
{
	const struct share_owner *largest = NULL;

	vec_for_each(&s->owners, o)
		if (o->uid && o->held && (!largest || o->held > largest->held))
			largest = o;
	return largest;
}

/* The least used item of @owner (NULL: of all), used less than @use. The oldest of several. */
static uint32_t least_used(const struct shares *s, const struct share_owner *owner, uint64_t use)
{
	const struct share_item *least = NULL;

	vec_for_each(&s->items, item) {
		if (!item->nr || item->use >= use)
			continue;
		if (owner && &s->owners.data[item->owner] != owner)
			continue;
		if (!least || item->use < least->use ||
		    (item->use == least->use && item->turn < least->turn))
			least = item;
	}
	return least ? (uint32_t)(least - s->items.data) : SHARES_NO_ITEM;
}

uint32_t shares_loser(const struct shares *s, uint32_t uid, uint32_t nr, uint64_t use)
{
	uint32_t at = find_owner(s, uid), item = SHARES_NO_ITEM;
	const struct share_owner *own = at < s->owners.nr ? &s->owners.data[at] : NULL;
	const struct share_owner *largest = find_largest(s);
	uint64_t held = own ? own->held : 0;

	if (nr > s->size)
		return SHARES_NO_ITEM;
	if (own && held)
		item = least_used(s, own, 1);
	/* Room that changes hands leaves the new owner with less than the old one had. */
	if (item == SHARES_NO_ITEM && largest && largest != own &&
	    (!uid || largest->held > held + nr))
		item = least_used(s, largest, UINT64_MAX);
	if (item == SHARES_NO_ITEM && use)
		item = least_used(s, NULL, 1);
	if (item == SHARES_NO_ITEM && own)
		item = least_used(s, own, use);
	return item;
}

uint64_t shares_held(const struct shares *s, uint32_t uid)
{
	uint32_t at = find_owner(s, uid);

	return at < s->owners.nr ? s->owners.data[at].held : 0;
}

uint64_t shares_most_held(const struct shares *s)
{
	const struct share_owner *largest = find_largest(s);

	return largest ? largest->held : 0;
}

static bool exceeds_cap(const struct shares *s, uint32_t uid, uint32_t nr)
{
	return uid && s->owner_max && shares_held(s, uid) + nr > s->owner_max;
}

int shares_take(struct shares *s, uint32_t item, uint32_t uid, uint32_t nr, uint64_t use,
		uint32_t *loser)
{
	bool is_capped = exceeds_cap(s, uid, nr);
	uint32_t at;

	if (is_capped || nr > s->size - s->used) {
		*loser = is_capped ? SHARES_NO_ITEM : shares_loser(s, uid, nr, use);
		if (*loser == SHARES_NO_ITEM)
			shares_note_lack(s, uid);
		return -ENOSPC;
	}
	while (s->items.nr <= item)
		if (vec_push(&s->items, (struct share_item){0}))
			return -ENOMEM;
	if (add_owner(s, uid, &at))
		return -ENOMEM;
	s->items.data[item] =
		(struct share_item){.owner = at, .nr = nr, .use = use, .turn = ++s->nr_takes};
	s->owners.data[at].held += nr;
	s->used += nr;
	return 0;
}

static struct share_item *item_with_room(struct shares *s, uint32_t item)
{
	return item < s->items.nr && s->items.data[item].nr ? &s->items.data[item] : NULL;
}

void shares_give(struct shares *s, uint32_t item)
{
	struct share_item *i = item_with_room(s, item);

	if (!i)
		return;
	s->owners.data[i->owner].held -= i->nr;
	s->used -= i->nr;
	i->nr = 0;
}

void shares_move(struct shares *s, uint32_t item, uint32_t uid)
{
	struct share_item *i = item_with_room(s, item);
	uint32_t at;

	if (!i || add_owner(s, uid, &at))
		return;
	s->owners.data[i->owner].held -= i->nr;
	s->owners.data[at].held += i->nr;
	i->owner = at;
}

void shares_use(struct shares *s, uint32_t item, uint64_t nr)
{
	struct share_item *i = item_with_room(s, item);

	if (i && __builtin_add_overflow(i->use, nr, &i->use))
		i->use = UINT64_MAX - 1;
}

void shares_age(struct shares *s)
{
	vec_for_each(&s->items, item)
		item->use /= 2;
}

void shares_note_lacks(struct shares *s, uint32_t uid, uint64_t nr)
{
	uint32_t at;

	if (!add_owner(s, uid, &at))
		s->owners.data[at].nr_lacked += nr;
}

void shares_note_lack(struct shares *s, uint32_t uid)
{
	shares_note_lacks(s, uid, 1);
}

uint64_t shares_nr_lacked(const struct shares *s)
{
	uint64_t sum = 0;

	vec_for_each(&s->owners, o)
		sum += o->nr_lacked;
	return sum;
}

const struct share_owner *shares_most_lacked(const struct shares *s)
{
	const struct share_owner *most = NULL;

	vec_for_each(&s->owners, o)
		if (o->nr_lacked && (!most || o->nr_lacked > most->nr_lacked))
			most = o;
	return most;
}

void shares_deinit(struct shares *s)
{
	vec_free(&s->items);
	vec_free(&s->owners);
}
