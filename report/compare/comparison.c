// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "report/statistics/false_discoveries.h"
#include "report/statistics/within.h"

/* A comparison that is being made. */
struct comparer {
	struct comparison *comparison;
	const struct tally *tally;
	const struct compared_recordings *recordings;
	struct observation *observations; /* scratch: of one thing, in each recording */
	double whole;                     /* all counts by unit, in the recordings before */
};

/* Reads the slices of @key in recording @i into @observations. Returns their number. */
static size_t observe_slices(const struct comparer *c, uint32_t key, size_t i,
			     struct observation *observations)
{
	const struct tally_slices *slices = &c->tally->slices[i];
	const struct denominators *d = &c->recordings->denominators[i];
	size_t nr = 0;

	for (size_t s = 0; s < slices->nr; s++) {
		double total = slices->totals[s] * d->samples;
		struct observation o = {
			.count = tally_slices_count(slices, key, s) * d->samples,
			.units = d->is_share ? total : d->units * slices->lengths[s],
			.trials = d->is_share ? total : d->trials * slices->lengths[s],
		};

		/* A slice without samples knows nothing of shares. */
		if (o.units > 0)
			observations[nr++] = o;
	}
	return nr;
}

/* The noise from slice to slice gives an interval, and never a verdict. */
static int estimate_within(struct comparer *c, uint32_t key, struct change *change)
{
	size_t most = c->tally->slices[0].nr + c->tally->slices[1].nr;
	_cleanup_free_ struct observation *observations = calloc(most + 1, sizeof(*observations));
	_cleanup_free_ double *scratch = calloc(most + 1, sizeof(*scratch));
	struct slices before = {observations, 0}, after = {0};

	if (!observations || !scratch)
		return -ENOMEM;
	before.nr = observe_slices(c, key, 0, observations);
	after.items = observations + before.nr;
	after.nr = observe_slices(c, key, 1, observations + before.nr);
	within_estimate(change, &before, &after, scratch);
	return 0;
}

static void estimate_change(struct comparer *c, struct change *change)
{
	const struct compared_recordings *recordings = c->recordings;
	const struct observations sides[] = {
		{c->observations, recordings->nr[0]},
		{c->observations + recordings->nr[0], recordings->nr[1]},
	};

	/* Without more recordings nobody knows the error: only the two rates are left. */
	if (!comparison_has_verdicts(c->comparison))
		change_set_rates(change, &sides[0], &sides[1]);
	else if (recordings->is_paired)
		change_estimate_pairs(change, &sides[0], &sides[1]);
	else
		change_estimate(change, &sides[0], &sides[1]);
}

static int compare_key(struct comparer *c, uint32_t key)
{
	struct compared compared = {.key = key, .visible = NAN};

	for (size_t i = 0; i < c->tally->nr_recordings; i++) {
		uint64_t count = tally_count(c->tally, key, i);

		compared.counts[i >= c->recordings->nr[0]] += count;
		c->observations[i] = denominators_observe(&c->recordings->denominators[i], count);
	}
	if (!compared.counts[0] && !compared.counts[1])
		return 0;
	estimate_change(c, &compared.change);
	if (comparison_is_within(c->comparison) && !compared.change.is_few &&
	    estimate_within(c, key, &compared.change))
		return -ENOMEM;
	compared.moved = (compared.change.after - compared.change.before) / c->whole;
	return vec_push(&c->comparison->items, compared);
}

/* Sums up all that the recordings before have, by unit. */
static double whole_before(const struct comparer *c)
{
	double count = 0, units = 0;

	for (size_t i = 0; i < c->recordings->nr[0]; i++) {
		const struct denominators *d = &c->recordings->denominators[i];

		count += d->total;
		units += d->units;
	}
	return count / units;
}

/* A thing with few counts is no candidate, nor is one whose change has no p-value. */
static bool is_candidate(const struct compared *compared)
{
	return !compared->change.is_few && !isnan(compared->change.p_value);
}

static int find_level(struct comparison *comparison)
{
	_cleanup_free_ double *p_values = calloc(comparison->items.nr + 1, sizeof(*p_values));
	size_t nr = 0, nr_found;

	if (!p_values)
		return -ENOMEM;
	vec_for_each(&comparison->items, item)
		if (is_candidate(item))
			p_values[nr++] = item->change.p_value;
	comparison->level = discoveries_level(p_values, nr, COMPARISON_FALSE_RATE, &nr_found);
	return 0;
}

static void judge_item(const struct comparison *comparison, struct compared *item)
{
	item->verdict = VERDICT_TOO_FEW_RECORDINGS;
	if (!comparison_has_verdicts(comparison))
		return;
	if (!item->change.may_be_division)
		item->verdict = VERDICT_NOT_DISTINGUISHABLE;
	if (is_candidate(item) && item->change.p_value <= comparison->level &&
	    fabs(item->moved) >= COMPARISON_MOVE_MIN)
		item->verdict = VERDICT_CHANGED;
	item->visible = change_visible(&item->change, comparison->level);
}

/*
 * Callers moved by as much as the function that is to blame, but it is a smaller part of them. What
 * is on one side only counts as a change by this factor.
 */
static double importance(const struct compared *item)
{
	const double factor = 100;

	return fabs(item->moved) *
	       fmin(fabs(log(item->change.after / item->change.before)), log(factor));
}

static int by_importance(const void *a, const void *b, void *ctx)
{
	const struct compared *x = a, *y = b;
	const struct tally *tally = ctx;

	COMPARE(x->verdict, y->verdict);
	if (x->verdict == VERDICT_CHANGED)
		COMPARE(importance(y), importance(x));
	COMPARE(y->counts[0] + y->counts[1], x->counts[0] + x->counts[1]);
	return strcmp(string_set_get(&tally->keys, x->key), string_set_get(&tally->keys, y->key));
}

static int sort_items(struct comparer *c)
{
	struct comparison *comparison = c->comparison;

	if (comparison->items.nr)
		qsort_r(comparison->items.data, comparison->items.nr,
			sizeof(*comparison->items.data), by_importance, (void *)c->tally);
	while (comparison->by_key.nr < c->tally->keys.items.nr)
		if (vec_push(&comparison->by_key, 0))
			return -ENOMEM;
	for (size_t i = 0; i < comparison->items.nr; i++)
		comparison->by_key.data[comparison->items.data[i].key] = i + 1;
	return 0;
}

int comparison_make(struct comparison *comparison, const struct tally *tally,
		    const struct compared_recordings *recordings)
{
	_cleanup_free_ struct observation *observations =
		calloc(tally->nr_recordings + 1, sizeof(*observations));
	struct comparer c = {comparison, tally, recordings, observations, 0};
	int ret = observations ? 0 : -ENOMEM;

	*comparison = (struct comparison){.nr = {recordings->nr[0], recordings->nr[1]}};
	c.whole = whole_before(&c);
	for (uint32_t key = 1; key < tally->keys.items.nr && !ret; key++)
		ret = compare_key(&c, key);
	if (!ret)
		ret = find_level(comparison);
	if (ret)
		return ret;
	vec_for_each(&comparison->items, item)
		judge_item(comparison, item);
	return sort_items(&c);
}

void comparison_deinit(struct comparison *comparison)
{
	vec_free(&comparison->items);
	vec_free(&comparison->by_key);
}

const struct compared *comparison_find(const struct comparison *comparison, uint32_t key)
{
	uint32_t place = key < comparison->by_key.nr ? comparison->by_key.data[key] : 0;

	return place ? &comparison->items.data[place - 1] : NULL;
}
