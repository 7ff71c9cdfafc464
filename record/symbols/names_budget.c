// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/names_budget.h"

#include "common/clock.h"
#include "common/minmax.h"
#include "record/looks/file_owner.h"

/* CPU time that can be used at once, and the part of the time that passes: 1 / this. */
#define CPU_MAX_NS NS_PER_S
#define CPU_PART   200
#define SUM_MAX_NS (2 * NS_PER_S)
#define SUM_PART   100

/*
 * CPU time that a file costs its owner if the child dies of it, for the files that go with the
 * child: so a user has four children at once, and one more each 50 s.
 */
#define DEATH_NS (CPU_MAX_NS / 4)

/* The accounts, where user id 0 has no limit: of root, and of all others together. */
#define ACCOUNT_OF_ROOT (FILE_OWNER_UNSURE - 1)
#define ACCOUNT_OF_ALL  1

/* No file is looked at with less CPU time than this. One file may take half of what there is. */
#define CPU_MIN_NS (5 * NS_PER_MS)
#define CPU_SHARE  2

static uint32_t account_of(uint32_t owner)
{
	return owner ? owner : ACCOUNT_OF_ROOT;
}

void names_budget_init(struct names_budget *b)
{
	*b = (struct names_budget){.time = {.part = CPU_PART, .max_ns = CPU_MAX_NS},
				   .sum = {.part = SUM_PART, .max_ns = SUM_MAX_NS}};
}

uint64_t names_budget_limit(const struct names_budget *b, uint32_t owner)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t left = owner_time_left(&b->time, account_of(owner), now);

	if (owner)
		left = min_u64(left, owner_time_left(&b->sum, ACCOUNT_OF_ALL, now));
	return left / CPU_SHARE < CPU_MIN_NS ? 0 : left / CPU_SHARE;
}

void names_budget_charge(struct names_budget *b, uint32_t owner, uint64_t used_ns, bool has_died)
{
	uint64_t now = clock_monotonic_ns();

	if (owner)
		owner_time_charge(&b->sum, ACCOUNT_OF_ALL, used_ns, now);
	if (has_died)
		used_ns = max_u64(used_ns, DEATH_NS);
	owner_time_charge(&b->time, account_of(owner), used_ns, now);
}

bool names_budget_is_thrifty(const struct names_budget *b, uint32_t owner)
{
	return owner_time_left(&b->time, owner, clock_monotonic_ns()) > CPU_MAX_NS / 2;
}

void names_budget_deinit(struct names_budget *b)
{
	owner_time_deinit(&b->time);
	owner_time_deinit(&b->sum);
}
