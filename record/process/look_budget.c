// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/look_budget.h"

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

void look_budget_init(struct look_budget *b, struct looker *looker)
{
	*b = (struct look_budget){
		.share = {.part = SHARE, .max_ns = CREDIT_MAX_NS, .looker = looker}};
}

bool look_budget_must_wait(struct look_budget *b, uint64_t next_look_ns)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns >= next_look_ns)
		return false;
	b->nr_put_off += next_look_ns - now_ns >= LONG_WAIT_NS;
	return true;
}

size_t look_budget_begin(struct look_budget *b)
{
	return cpu_share_begin(&b->share) ? LOOK_MAPPINGS_MAX : LOOK_MAPPINGS_SPENT;
}

uint64_t look_budget_end(struct look_budget *b, bool is_cut)
{
	uint64_t pause_ns = cpu_share_end(&b->share) * PROCESS_SHARE;

	b->nr_cut += is_cut;
	if (is_cut && pause_ns < CUT_PAUSE_NS)
		pause_ns = CUT_PAUSE_NS;
	return clock_monotonic_ns() + pause_ns;
}
