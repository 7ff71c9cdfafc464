// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/shares/owner_time.h"

#include "common/minmax.h"
#include "record/shares/owner_ids.h"

/* Users with debts; further users share the account of the last one. */
#define ACCOUNTS_MAX 1024

static struct time_account *find_account(const struct owner_time *t, uint32_t uid)
{
	const uint32_t id = owner_id(uid);

	vec_for_each(&t->accounts, a)
		if (a->uid == id)
			return a;
	return t->accounts.nr == ACCOUNTS_MAX ? &t->accounts.data[ACCOUNTS_MAX - 1] : NULL;
}

/* An account for @uid: its own, that of a user whose credit is full again, or a new one. */
static struct time_account *make_account(struct owner_time *t, uint32_t uid, uint64_t now_ns)
{
	const uint32_t id = owner_id(uid);
	struct time_account *a = NULL;

	vec_for_each(&t->accounts, have) {
		if (have->uid == id)
			return have;
		if (have->full_ns <= now_ns)
			a = have;
	}
	if (!a && t->accounts.nr == ACCOUNTS_MAX)
		return &t->accounts.data[ACCOUNTS_MAX - 1];
	if (!a) {
		if (vec_push(&t->accounts, (struct time_account){0}))
			return NULL;
		a = &t->accounts.data[t->accounts.nr - 1];
	}
	*a = (struct time_account){.uid = id};
	return a;
}

uint64_t owner_time_left(const struct owner_time *t, uint32_t uid, uint64_t now_ns)
{
	const struct time_account *a = find_account(t, uid);
	uint64_t used_ns;

	if (!uid)
		return UINT64_MAX;
	if (!a || a->full_ns <= now_ns)
		return t->max_ns;
	used_ns = (a->full_ns - now_ns) / t->part;
	return used_ns < t->max_ns ? t->max_ns - used_ns : 0;
}

bool owner_time_is_low(const struct owner_time *t, uint32_t uid, uint64_t now_ns)
{
	return owner_time_left(t, uid, now_ns) < t->max_ns / 2;
}

void owner_time_charge(struct owner_time *t, uint32_t uid, uint64_t cpu_ns, uint64_t now_ns)
{
	const uint64_t used_max_ns = 2 * t->max_ns;
	struct time_account *a = uid ? make_account(t, uid, now_ns) : NULL;

	if (!a)
		return;
	if (a->full_ns < now_ns)
		a->full_ns = now_ns;
	a->full_ns += min_u64(cpu_ns, used_max_ns) * t->part;
	a->full_ns = min_u64(a->full_ns, now_ns + used_max_ns * t->part);
}

void owner_time_deinit(struct owner_time *t)
{
	vec_free(&t->accounts);
}
