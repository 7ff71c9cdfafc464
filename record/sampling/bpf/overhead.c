// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/overhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/sampling/program/maps.h"

#define CHECK_INTERVAL_NS (200 * NS_PER_MS)
#define NOTE_INTERVAL_NS  (60 * NS_PER_S)

/* The share of the limit that is aimed at. Below the lower share, more hits are counted again. */
#define AIM       0.75
#define LOW_WATER 0.5

#define GAP_MAX ((1u << SHED_GAP_BITS) - 1)

/*
 * The time that each of the @nr events may cost, if all together may cost @budget_ns. Events that
 * cost less leave the rest to the others.
 */
static double fair_share(const uint64_t *cost_ns, uint32_t nr, double budget_ns)
{
	double fair_ns = budget_ns / nr, before_ns = 0;

	while (fair_ns > before_ns) {
		double left_ns = budget_ns;
		uint32_t nr_large = 0;

		before_ns = fair_ns;
		for (uint32_t i = 0; i < nr; i++) {
			if ((double)cost_ns[i] >= fair_ns)
				nr_large++;
			else
				left_ns -= (double)cost_ns[i];
		}
		if (nr_large)
			fair_ns = left_ns / nr_large;
	}
	return fair_ns;
}

/* The gap with which an event costs @fair_ns that costs @cost_ns with @gap. */
static uint32_t gap_for(uint32_t gap, uint64_t cost_ns, double fair_ns)
{
	double wanted = gap * ((double)cost_ns / fair_ns);

	/* In steps, since few runs are timed, and since a pause says little. */
	if (wanted < gap / 2.0)
		wanted = gap / 2.0;
	if (wanted > gap * 8.0)
		wanted = gap * 8.0;
	return wanted > GAP_MAX ? GAP_MAX : (uint32_t)(wanted + 0.999);
}

static void change_gaps(struct overhead *o, const uint64_t *cost_ns, double budget_ns)
{
	double fair_ns = fair_share(cost_ns, o->nr_events, budget_ns);

	for (uint32_t i = 0; i < o->nr_events; i++) {
		uint32_t gap = o->gaps[i] ? o->gaps[i] : 1;

		if (gap > 1 || (double)cost_ns[i] > fair_ns)
			gap = gap_for(gap, cost_ns[i], fair_ns);
		o->gaps[i] = gap;
		if (gap > o->largest[i])
			o->largest[i] = gap;
	}
}

/* The event that costs most. */
static uint32_t find_dearest(const struct overhead *o, const uint64_t *cost_ns)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < o->nr_events; i++)
		if (cost_ns[i] > cost_ns[most])
			most = i;
	return most;
}

void overhead_judge(struct overhead *o, const uint64_t *run_ns, uint64_t now_ns,
		    struct overhead_finding *finding)
{
	uint64_t elapsed_ns = now_ns - o->checked_ns, cost_ns[MAX_EVENTS], all_ns = 0;
	double limit_ns = (double)elapsed_ns * (double)o->limit_percent / 100;

	*finding = (struct overhead_finding){0};
	if (o->checked_ns && elapsed_ns < CHECK_INTERVAL_NS)
		return;
	for (uint32_t i = 0; i < o->nr_events; i++) {
		cost_ns[i] = run_ns[i] - o->run_ns[i];
		all_ns += cost_ns[i];
		o->run_ns[i] = run_ns[i];
	}
	o->checked_ns = now_ns;
	if (elapsed_ns == now_ns)
		return; /* the first call */
	if (o->sheds && ((double)all_ns > limit_ns || (double)all_ns < LOW_WATER * limit_ns))
		change_gaps(o, cost_ns, AIM * limit_ns);
	if ((double)all_ns <= limit_ns || (o->noted_ns && now_ns < o->noted_ns + NOTE_INTERVAL_NS))
		return;
	o->noted_ns = now_ns;
	finding->percent = 100.0 * (double)all_ns / (double)elapsed_ns;
	finding->event = find_dearest(o, cost_ns);
	finding->gap = o->gaps[finding->event];
}

static int read_costs(const struct overhead *o, const struct cost_maps *maps, uint64_t *run_ns,
		      struct err *err)
{
	_cleanup_free_ struct hit_cost *costs = calloc(maps->nr_cpus, sizeof(*costs));

	if (!costs)
		return err_set(err, -ENOMEM, "failed to record: out of memory");
	for (uint32_t event = 0; event < o->nr_events; event++) {
		if (map_lookup(maps->costs, &event, costs))
			return err_set(err, -errno, "failed to read the cost of counting: %m");
		for (size_t i = 0; i < maps->nr_cpus; i++)
			run_ns[event] += costs[i].run_ns;
	}
	return 0;
}

int overhead_check(struct overhead *o, struct sampler *sampler, uint64_t now_ns,
		   struct overhead_finding *finding, struct err *err)
{
	uint64_t run_ns[MAX_EVENTS] = {0};
	struct cost_maps maps;
	int ret;

	*finding = (struct overhead_finding){0};
	if (!o->limit_percent || (o->checked_ns && now_ns < o->checked_ns + CHECK_INTERVAL_NS))
		return 0;
	sampler_cost_maps(sampler, &maps);
	ret = read_costs(o, &maps, run_ns, err);
	if (ret)
		return ret;
	overhead_judge(o, run_ns, now_ns, finding);
	for (uint32_t i = 0; i < o->nr_events && o->sheds; i++)
		maps.gaps[i] = o->gaps[i];
	return 0;
}

void overhead_begin_recording(struct overhead *o)
{
	memcpy(o->largest, o->gaps, sizeof(o->largest));
}
