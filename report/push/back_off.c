// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/back_off.h"

#include "common/clock.h"
#include "common/minmax.h"

#define FIRST_NS (NS_PER_S / 2)
#define STEP_MAX 7 /* doublings: 64 s */

/* A receiver that asks for more is asked again all the same. */
#define RETRY_AFTER_MAX_S 600

uint64_t back_off_fail(struct back_off *back_off, uint64_t retry_after_s, uint64_t random)
{
	uint64_t whole = FIRST_NS << back_off->nr_failures;
	uint64_t wait = whole / 2 + random % (whole / 2 + 1);

	if (back_off->nr_failures < STEP_MAX)
		back_off->nr_failures++;
	return max_u64(wait, min_u64(retry_after_s, RETRY_AFTER_MAX_S) * NS_PER_S);
}

void back_off_reset(struct back_off *back_off)
{
	back_off->nr_failures = 0;
}
