// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/look_budget.h"

#include "common/clock.h"

/* All looks may take 1/SHARE of the time of a CPU, and those at one process 1/PROCESS_SHARE. */
#define SHARE         20
#define PROCESS_SHARE 100

/* Credit that can be saved up: some thousand looks, for a host that starts many processes. */
#define CREDIT_MAX_NS (500 * NS_PER_MS)

/* The shortest wait of a process whose mappings were not read to the end. */
#define CUT_PAUSE_NS NS_PER_S

/* Shorter waits are as usual: every process with a hundred mappings has them. */
#define LONG_WAIT_NS (100 * NS_PER_MS)

/*
 * Looks at programs of one user may take 1/OWNER_SHARE of the time of a CPU. What can be saved up
 * is for some thousand programs.
 */
#define OWNER_SHARE     200
#define OWNER_CREDIT_NS (100 * NS_PER_MS)

void look_budget_init(struct look_budget *b, struct looker *looker)
{
	*b = (struct look_budget){
		.share = {.part = SHARE, .max_ns = CREDIT_MAX_NS, .looker = looker},
		.owners = {.part = OWNER_SHARE, .max_ns = OWNER_CREDIT_NS}};
}

bool look_budget_must_wait(struct look_budget *b, uint32_t uid, uint64_t next_look_ns)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns >= next_look_ns)
		return false;
	if (next_look_ns - now_ns >= LONG_WAIT_NS)
		look_budget_leave_out(b, uid);
	return true;
}

size_t look_budget_begin(struct look_budget *b)
{
	return cpu_share_begin(&b->share) ? LOOK_MAPPINGS_MAX : LOOK_MAPPINGS_SPENT;
}

uint64_t look_budget_end(struct look_budget *b, uint32_t uid, bool is_cut)
{
	uint64_t pause_ns;

	b->took_ns = cpu_share_end(&b->share);
	pause_ns = b->took_ns * PROCESS_SHARE;

	if (is_cut)
		look_budget_leave_out(b, uid);
	if (is_cut && pause_ns < CUT_PAUSE_NS)
		pause_ns = CUT_PAUSE_NS;
	return clock_monotonic_ns() + pause_ns;
}

enum look_haste look_budget_haste(const struct look_budget *b, uint32_t uid)
{
	uint64_t left_ns = owner_time_left(&b->owners, uid, clock_monotonic_ns());

	if (left_ns > OWNER_CREDIT_NS / 2)
		return LOOK_AT_ONCE;
	return left_ns ? LOOK_LATER : LOOK_NEVER;
}

void look_budget_leave_out(struct look_budget *b, uint32_t uid)
{
	shares_note_lack(&b->left_out, uid);
}

void look_budget_charge(struct look_budget *b, uint32_t uid)
{
	owner_time_charge(&b->owners, uid, b->took_ns, clock_monotonic_ns());
}

void look_budget_deinit(struct look_budget *b)
{
	owner_time_deinit(&b->owners);
	shares_deinit(&b->left_out);
}
