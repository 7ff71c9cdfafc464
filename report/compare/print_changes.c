// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/print_changes.h"

#include <inttypes.h>
#include <math.h>

/* Columns: the rates, the change, an end of the interval, and the smallest change that is seen. */
#define RATE_WIDTH    10
#define CHANGE_WIDTH  9
#define SEEN_WIDTH    10
#define END_WIDTH     8
#define VERDICT_WIDTH 19

/* Relative changes above this are of another size, whatever the number: noise makes x50 of x20. */
#define RELATIVE_MAX 10

/* The part of a comparison that a table shows. */
typedef bool (*is_shown_fn)(const struct compared *item);

static const char *const things[][2] = {
	[TALLY_FUNCTIONS] = {"FUNCTION", "functions"},
	[TALLY_STACKS] = {"STACK", "stacks"},
	[TALLY_FILES] = {"FILE", "files"},
	[TALLY_CGROUPS] = {"CGROUP", "cgroups"},
	[TALLY_CONTAINERS] = {"CONTAINER", "containers"},
	[TALLY_PODS] = {"POD", "pods"},
	[TALLY_UNITS] = {"UNIT", "units"},
};

const char *verdict_text(enum verdict verdict)
{
	static const char *const texts[] = {
		[VERDICT_CHANGED] = "changed",
		[VERDICT_NOT_DISTINGUISHABLE] = "not distinguishable",
		[VERDICT_TOO_FEW_RECORDINGS] = "too few recordings",
	};

	return texts[verdict];
}

const char *changes_things(enum tally_by by)
{
	return things[by][1];
}

/* Rates are shares, or seconds. */
static void print_rate_of(struct textbuf *out, enum denominator per, enum amount_unit unit,
			  int width, double rate)
{
	char text[AMOUNT_SIZE];

	if (per == PER_SAMPLES)
		textbuf_printf(out, "%*.2f %%", width - 2, 100 * rate);
	else if (unit == AMOUNT_RAW)
		textbuf_printf(out, "%*.4g", width, rate);
	else
		textbuf_printf(out, "%*s", width, amount_time(1e9 * rate, unit, text));
}

void print_rate(struct textbuf *out, const struct changes_printout *p, int width, double rate)
{
	print_rate_of(out, p->per, p->unit, width, rate);
}

void print_relative(struct textbuf *out, double relative, int width, const char *sign)
{
	if (!isfinite(relative))
		textbuf_printf(out, "%*s", width, "-");
	else if (relative > RELATIVE_MAX)
		textbuf_printf(out, "%*s", width, ">10x");
	else
		textbuf_printf(out, sign[0] ? "%+*.1f %%" : "%*.1f %%", width - 2, 100 * relative);
}

static void print_interval(struct textbuf *out, const struct change *change)
{
	if (isnan(change->low)) {
		textbuf_printf(out, "%*s", 2 * END_WIDTH + 4, "-");
		return;
	}
	print_relative(out, change->low, END_WIDTH, "+");
	textbuf_str(out, " to ");
	print_relative(out, change->high, END_WIDTH, "+");
}

static void print_item(const struct changes_printout *p, struct textbuf *out,
		       const struct compared *item)
{
	const struct change *change = &item->change;

	print_rate(out, p, RATE_WIDTH, change->before);
	textbuf_char(out, ' ');
	print_rate(out, p, RATE_WIDTH, change->after);
	textbuf_char(out, ' ');
	print_relative(out, change->relative, CHANGE_WIDTH, "+");
	textbuf_char(out, ' ');
	print_interval(out, change);
	textbuf_printf(out, "  %-*s ", VERDICT_WIDTH, verdict_text(item->verdict));
	print_relative(out, item->visible, SEEN_WIDTH, "");
	textbuf_printf(out, "  %s\n", string_set_get(&p->tally->keys, item->key));
}

static bool is_on_both_sides(const struct compared *item)
{
	return item->counts[0] && item->counts[1];
}

static bool has_changed(const struct compared *item)
{
	return is_on_both_sides(item) && item->verdict == VERDICT_CHANGED;
}

static bool has_not_changed(const struct compared *item)
{
	return is_on_both_sides(item) && item->verdict != VERDICT_CHANGED;
}

/*
 * Prints the items that @is_shown chooses, at most @most of those with enough counts. Returns the
 * number of those that it leaves out.
 */
static size_t print_some(const struct changes_printout *p, struct textbuf *out,
			 is_shown_fn is_shown, size_t most)
{
	size_t nr = 0, left_out = 0;

	vec_for_each(&p->comparison->items, item) {
		if (!is_shown(item))
			continue;
		if (!p->all && (nr == most || item->change.is_few)) {
			left_out++;
			continue;
		}
		print_item(p, out, item);
		nr++;
	}
	return left_out;
}

/* Prints a list below @title, if anything is in it. */
static void print_list(const struct changes_printout *p, struct textbuf *out, is_shown_fn is_shown,
		       const char *title)
{
	bool has_items = false;

	vec_for_each(&p->comparison->items, item)
		has_items |= is_shown(item) && (p->all || !item->change.is_few);
	if (!has_items)
		return;
	textbuf_printf(out, "\n%s\n", title);
	print_some(p, out, is_shown, SIZE_MAX);
}

/* Intervals of one recording on each side hold within these recordings alone, if there are any. */
static const char *words_on_intervals(const struct comparison *comparison)
{
	if (!comparison_is_within(comparison))
		return "";
	vec_for_each(&comparison->items, item)
		if (!isnan(item->change.low) && !item->change.is_few)
			return "The intervals are within these recordings: others may differ by more.\n";
	return "There are no intervals: for these, a lone recording needs more than ten independent seconds.\n";
}

static void print_header(const struct changes_printout *p, struct textbuf *out)
{
	static const char *const units[] = {
		[PER_SAMPLES] = "shares of all samples",
		[PER_CPU] = " a second",
		[PER_WORK] = " for a unit of work",
	};
	const char *cpu = p->unit == AMOUNT_RAW ? "CPU seconds" : "CPU time";
	const char *off_cpu = p->unit == AMOUNT_RAW ? "seconds off the CPU" : "time off the CPU";
	const char *time = p->is_off_cpu ? off_cpu : cpu;

	textbuf_printf(out, "recordings: %zu before, %zu after; %s%s\n", p->comparison->nr[0],
		       p->comparison->nr[1], p->per == PER_SAMPLES ? "" : time, units[p->per]);
	textbuf_str(out, words_on_intervals(p->comparison));
	textbuf_printf(out, "%*s %*s %*s %*s  %-*s %*s  %s\n", RATE_WIDTH, "BEFORE", RATE_WIDTH,
		       "AFTER", CHANGE_WIDTH, "CHANGE", 2 * END_WIDTH + 4, "95 % INTERVAL",
		       VERDICT_WIDTH, "VERDICT", SEEN_WIDTH, "DETECTABLE", things[p->tally->by][0]);
}

void print_changes(const struct changes_printout *p, struct textbuf *out)
{
	size_t left_out;

	print_changes_summary(p, out);
	print_header(p, out);
	print_some(p, out, has_changed, SIZE_MAX);
	/* Without verdicts the reader has nothing but the numbers. */
	left_out = print_some(p, out, has_not_changed,
			      comparison_has_verdicts(p->comparison) ? 0 : UNCHANGED_SHOWN);
	if (left_out)
		textbuf_printf(out,
			       "%zu more %s without a change are left out; --all prints them\n",
			       left_out, things[p->tally->by][1]);
	print_list(p, out, compared_has_appeared, "appeared:");
	print_list(p, out, compared_has_vanished, "vanished:");
}

static void print_planned(struct textbuf *out, const struct planned *item, enum denominator per)
{
	print_rate_of(out, per, AMOUNT_AUTO, RATE_WIDTH, item->rate);
	textbuf_printf(out, " %*.1f %%", CHANGE_WIDTH - 2, 100 * item->noise);
	for (int i = 0; i < PLAN_LENGTHS; i++) {
		if (item->needed[i])
			textbuf_printf(out, " %*" PRIu32, CHANGE_WIDTH, item->needed[i]);
		else
			textbuf_printf(out, " %*s", CHANGE_WIDTH, "-");
	}
}

void print_plan(const struct plan *plan, const struct tally *tally, enum denominator per, bool all,
		struct textbuf *out)
{
	size_t nr = all || plan->items.nr < UNCHANGED_SHOWN ? plan->items.nr : UNCHANGED_SHOWN;

	textbuf_printf(out,
		       "recordings on each side to find a change of %g %% in four of five cases\n",
		       100 * plan->relative);
	textbuf_printf(out, "%*s %*s", RATE_WIDTH, "RATE", CHANGE_WIDTH, "NOISE");
	for (int i = 0; i < PLAN_LENGTHS; i++)
		textbuf_printf(out, " %*.*f s", CHANGE_WIDTH - 2, plan->seconds < 10,
			       plan->seconds * (1 << i));
	textbuf_printf(out, "  %s\n", things[tally->by][0]);
	for (size_t i = 0; i < nr; i++) {
		print_planned(out, &plan->items.data[i], per);
		textbuf_printf(out, "  %s\n",
			       string_set_get(&tally->keys, plan->items.data[i].key));
	}
	if (nr < plan->items.nr)
		textbuf_printf(out, "%zu more %s are left out; --all prints them\n",
			       plan->items.nr - nr, things[tally->by][1]);
}
