// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_time.h"

#include <errno.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/looks/file_owner.h"
#include "record/unwind/table_worker.h"

bool table_time_refuses(struct file_tables *u, uint32_t nr, uint32_t user)
{
	const struct file_table *t = &u->tables.data[nr];

	if (user)
		user = owner_id(user - 1) + 1;
	for (size_t i = 0; user && i < TABLE_REFUSED_MAX; i++)
		if (t->refused[i].user == user && clock_monotonic_ns() < t->refused[i].end_ns)
			return u->lacked_time = true;
	return false;
}

/*
 * Notes that @uid had no time, which counts once for the table until it has time again. Beyond
 * those who are told apart, nobody counts.
 */
static void refuse(struct file_tables *u, struct file_table *t, uint32_t uid, uint32_t payer,
		   uint64_t now_ns)
{
	struct refused_user *found = NULL;

	for (size_t i = 0; i < TABLE_REFUSED_MAX; i++) {
		struct refused_user *r = &t->refused[i];

		if (r->user == uid + 1 || (r->end_ns <= now_ns && (!found || !r->user)))
			found = r;
		if (r->user == uid + 1)
			break;
	}
	if (!found)
		return;
	if (found->user != uid + 1)
		shares_note_lack(&u->unserved, payer);
	*found = (struct refused_user){uid + 1, now_ns + TABLE_TIME_PAUSE_NS};
}

static void allow(struct file_table *t, uint32_t uid)
{
	for (size_t i = 0; i < TABLE_REFUSED_MAX; i++)
		if (t->refused[i].user == uid + 1)
			t->refused[i] = (struct refused_user){0};
}

int table_time_get(struct file_tables *u, struct file_table *t, const struct file_place *place,
		   uint32_t *uid, uint64_t *left_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint32_t payer;

	*uid = file_place_user(place);
	payer = share_owner_of(*uid, t->owner);
	*left_ns = owner_time_left(&u->time, *uid, now_ns);
	/* Somebody else may ask for it meanwhile. */
	if (!*left_ns || !owner_time_left(&u->payers, payer, now_ns)) {
		u->lacked_time |= !place->made_by;
		refuse(u, t, *uid, payer, now_ns);
		return place->made_by ? -EDQUOT : -EAGAIN;
	}
	*left_ns = min_u64(*left_ns, owner_time_left(&u->time, t->owner, now_ns));
	if (!*left_ns || (place->made_by && (owner_time_is_low(&u->time, *uid, now_ns) ||
					     owner_time_is_low(&u->payers, payer, now_ns)))) {
		shares_note_lack(&u->unserved, payer);
		return -EDQUOT;
	}
	allow(t, *uid);
	t->payer = payer;
	return 0;
}

void table_time_charge(struct file_tables *u, const struct file_table *t, int status,
		       uint64_t cpu_ns)
{
	const uint64_t now_ns = clock_monotonic_ns();

	if (status == -EIO || status == -ETIMEDOUT)
		cpu_ns = TABLE_TIME_MAX_NS;
	owner_time_charge(&u->time, t->owner, cpu_ns, now_ns);
	owner_time_charge(&u->payers, t->payer, cpu_ns, now_ns);
}
