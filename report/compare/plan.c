// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "report/model/cpu_time.h"
#include "report/statistics/recordings_needed.h"

/* Reads the counts of @key into @observations, one for each pilot. Returns their sum. */
static uint64_t observe_pilots(const struct compared_sources *counted, uint32_t key, size_t nr,
			       struct observation *observations)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t count = tally_count(&counted->tally, key, i);

		observations[i] = denominators_observe(&counted->denominators[i], count);
		sum += count;
	}
	return sum;
}

/* Collects the things with enough counts. The noise is for find_numbers to fill in. */
static int collect_items(struct plan *plan, const struct compared_sources *counted, size_t nr,
			 struct observation *observations)
{
	for (uint32_t key = 1; key < counted->tally.keys.items.nr; key++) {
		struct planned item = {.key = key};
		const struct observations side = {observations, nr};
		struct observed_totals totals;

		item.count = observe_pilots(counted, key, nr, observations);
		totals = observations_add_up(&side);
		item.rate = totals.count / totals.units;
		if (totals.count >= CHANGE_COUNTS_MIN && vec_push(&plan->items, item))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Finds the numbers of recordings of an item. A comparison tests all items, and in the worst case
 * one of them alone has changed. Then its level is divided by their number.
 */
static void find_numbers(struct planned *item, const struct plan *plan,
			 const struct observations *pilots)
{
	const struct log_variance seen = log_variance_of(pilots);
	double bound = fmax(variance_upper_bound(seen.between, pilots->nr), seen.sampling);
	double between = bound - seen.sampling;
	double level = COMPARISON_FALSE_RATE / plan->items.nr;

	item->noise = sqrt(fmax(seen.between - seen.sampling, 0));
	for (int i = 0; i < PLAN_LENGTHS; i++)
		item->needed[i] = recordings_needed(plan->relative,
						    between + seen.sampling / (1 << i), level);
}

static int by_count(const void *a, const void *b, void *ctx)
{
	const struct planned *x = a, *y = b;
	const struct tally *tally = ctx;

	COMPARE(y->count, x->count);
	return strcmp(string_set_get(&tally->keys, x->key), string_set_get(&tally->keys, y->key));
}

int plan_make(struct plan *plan, double relative, const struct compared_sources *counted,
	      const struct source *pilots, size_t nr)
{
	_cleanup_free_ struct observation *observations = calloc(nr + 1, sizeof(*observations));
	const struct observations side = {observations, nr};
	int ret;

	*plan = (struct plan){.relative = relative};
	for (size_t i = 0; i < nr; i++)
		plan->seconds += recording_seconds(&pilots[i].rec) / nr;
	ret = observations ? collect_items(plan, counted, nr, observations) : -ENOMEM;
	if (ret)
		return ret;
	vec_for_each(&plan->items, item) {
		observe_pilots(counted, item->key, nr, observations);
		find_numbers(item, plan, &side);
	}
	if (plan->items.nr)
		qsort_r(plan->items.data, plan->items.nr, sizeof(*plan->items.data), by_count,
			(void *)&counted->tally);
	return 0;
}

void plan_deinit(struct plan *plan)
{
	vec_free(&plan->items);
}
