// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/print_changes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "report/text/json_writer.h"

/* Columns: the rates, the change, an end of the interval, and the smallest change that is seen. */
#define RATE_WIDTH    10
#define CHANGE_WIDTH  9
#define SEEN_WIDTH    10
#define END_WIDTH     8
#define VERDICT_WIDTH 19

/* A narrower terminal has short verdicts, and the smallest change in the sentence alone. */
#define TABLE_WIDTH 112

/* The columns of such a terminal before the name. */
#define NARROW_RATE_WIDTH    8
#define NARROW_VERDICT_WIDTH 8
#define NARROW_WIDTH                                                                               \
	(2 * NARROW_RATE_WIDTH + CHANGE_WIDTH + 3 + 2 * END_WIDTH + 4 + 2 + NARROW_VERDICT_WIDTH + \
	 1)

/* Relative changes above this are of another size, whatever the number: noise makes x50 of x20. */
#define RELATIVE_MAX 10

/* Things that the sentence names. */
#define NAMED_MAX 3

/* Without all, a table ends after this many things that have not changed. */
#define UNCHANGED_SHOWN 30

/* The part of the whole from which on a thing counts for the smallest change in the sentence. */
#define SUMMARY_SHARE_MIN 0.01

/* The numbers of the sentence. */
struct changes_summary {
	size_t nr, nr_changed; /* things; those that changed, with those on one side only */
	double detectable;     /* in three of four things above SUMMARY_SHARE_MIN; NaN: not known */
};

/* The part of a comparison that a table shows. */
typedef bool (*is_shown_fn)(const struct compared *item);

static const char *const things[][2] = {
	[TALLY_FUNCTIONS] = {"FUNCTION", "functions"},
	[TALLY_STACKS] = {"STACK", "stacks"},
	[TALLY_FILES] = {"DSO", "files"},
	[TALLY_CGROUPS] = {"CGROUP", "cgroups"},
	[TALLY_CONTAINERS] = {"CONTAINER", "containers"},
	[TALLY_PODS] = {"POD", "pods"},
	[TALLY_UNITS] = {"UNIT", "units"},
	[TALLY_SERVICES] = {"SERVICE", "services"},
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

static void print_rate(struct textbuf *out, const struct changes_printout *p, int width,
		       double rate)
{
	print_rate_of(out, p->per, p->unit, width, rate);
}

/* Prints a relative change: "+13.9 %", ">10x", or "-" for what is not known. */
static void print_relative(struct textbuf *out, double relative, int width, const char *sign)
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

/* Stacks are longer than any line, and stay whole. */
static bool is_narrow(const struct changes_printout *p)
{
	return terminal_is_narrow(&p->terminal, TABLE_WIDTH) && p->tally->by != TALLY_STACKS;
}

static void print_name(const struct changes_printout *p, struct textbuf *out,
		       const struct compared *item)
{
	bool is_path = p->tally->by == TALLY_FILES || p->tally->by == TALLY_CGROUPS;
	uint32_t width = is_narrow(p) ? terminal_rest(&p->terminal, NARROW_WIDTH) : 0;

	terminal_print(&p->terminal, out, string_set_get(&p->tally->keys, item->key), width,
		       is_path ? CUT_START : CUT_MIDDLE, COLOUR_NONE);
	textbuf_char(out, '\n');
}

static void print_item(const struct changes_printout *p, struct textbuf *out,
		       const struct compared *item)
{
	static const char *const short_verdicts[] = {
		[VERDICT_CHANGED] = "changed",
		[VERDICT_NOT_DISTINGUISHABLE] = "unclear",
		[VERDICT_TOO_FEW_RECORDINGS] = "too few",
	};
	const struct change *change = &item->change;
	int width = is_narrow(p) ? NARROW_RATE_WIDTH : RATE_WIDTH;

	print_rate(out, p, width, change->before);
	textbuf_char(out, ' ');
	print_rate(out, p, width, change->after);
	textbuf_char(out, ' ');
	print_relative(out, change->relative, CHANGE_WIDTH, "+");
	textbuf_char(out, ' ');
	print_interval(out, change);
	if (is_narrow(p)) {
		textbuf_printf(out, "  %-*s ", NARROW_VERDICT_WIDTH, short_verdicts[item->verdict]);
	} else {
		textbuf_printf(out, "  %-*s ", VERDICT_WIDTH, verdict_text(item->verdict));
		print_relative(out, item->visible, SEEN_WIDTH, "");
		textbuf_str(out, "  ");
	}
	print_name(p, out, item);
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
 * Does a table have @item? Text and Markdown ask for all items in their order, so that both have
 * the same ones: what changed, what is on one side only, and without verdicts the first ones that
 * are on both, which *@nr_unchanged counts. The sentence names none that a table lacks.
 */
static bool changes_has(const struct changes_printout *p, const struct compared *item,
			size_t *nr_unchanged)
{
	if (p->all || item->verdict == VERDICT_CHANGED)
		return true;
	if (item->change.is_few)
		return false;
	if (!is_on_both_sides(item))
		return true;
	/* Without verdicts the reader has nothing but the numbers. */
	return !comparison_has_verdicts(p->comparison) && (*nr_unchanged)++ < UNCHANGED_SHOWN;
}

/* Prints the items of the tables that @is_shown chooses, below @title unless that is NULL. */
static void print_some(const struct changes_printout *p, struct textbuf *out, is_shown_fn is_shown,
		       const char *title)
{
	size_t nr_unchanged = 0;

	vec_for_each(&p->comparison->items, item) {
		if (!changes_has(p, item, &nr_unchanged) || !is_shown(item))
			continue;
		if (title)
			textbuf_printf(out, "\n%s\n", title);
		title = NULL;
		print_item(p, out, item);
	}
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

/* Prints the unit of the rates: "shares of all samples"; times are in @cpu and in @off_cpu. */
static void print_unit(const struct changes_printout *p, const char *cpu, const char *off_cpu,
		       struct textbuf *out)
{
	const char *time = p->is_off_cpu ? off_cpu : cpu;

	if (p->per == PER_SAMPLES)
		textbuf_str(out, "shares of all samples");
	else if (p->per == PER_CPU)
		textbuf_printf(out, "%s a second", time);
	else if (p->work[0])
		textbuf_printf(out, "%s per %s", time, p->work);
	else
		textbuf_printf(out, "%s for a unit of work", time);
}

/* Prints how many recordings were compared, the unit, and the user's choice of samples. */
static void print_basis(const struct changes_printout *p, struct textbuf *out)
{
	bool is_raw = p->unit == AMOUNT_RAW;

	textbuf_printf(out, "recordings: %zu before, %zu after; ", p->comparison->nr[0],
		       p->comparison->nr[1]);
	print_unit(p, is_raw ? "CPU seconds" : "CPU time",
		   is_raw ? "seconds off the CPU" : "time off the CPU", out);
	filter_words_put(p->filter, p->span, "; shown: ", "", out);
}

static void print_header(const struct changes_printout *p, struct textbuf *out)
{
	int width = is_narrow(p) ? NARROW_RATE_WIDTH : RATE_WIDTH;

	print_basis(p, out);
	textbuf_char(out, '\n');
	textbuf_str(out, words_on_intervals(p->comparison));
	textbuf_printf(out, "%*s %*s %*s %*s  ", width, "BEFORE", width, "AFTER", CHANGE_WIDTH,
		       "CHANGE", 2 * END_WIDTH + 4, "95 % INTERVAL");
	if (is_narrow(p))
		textbuf_printf(out, "%-*s ", NARROW_VERDICT_WIDTH, "VERDICT");
	else
		textbuf_printf(out, "%-*s %*s  ", VERDICT_WIDTH, "VERDICT", SEEN_WIDTH,
			       "DETECTABLE");
	textbuf_printf(out, "%s\n", things[p->tally->by][0]);
}

/* @nr of @all_things, in the plural, are not in the table; @why says why. */
static void print_left_out(struct textbuf *out, size_t nr, const char *all_things, const char *why)
{
	const bool is_one = nr == 1;

	textbuf_printf(out, "%zu more %.*s %s left out%s; --all prints %s\n", nr,
		       (int)strlen(all_things) - is_one, all_things, is_one ? "is" : "are", why,
		       is_one ? "it" : "them");
}

/* Prints how many items the tables leave out, if there are any. */
static void print_all_left_out(const struct changes_printout *p, struct textbuf *out)
{
	size_t nr = 0, nr_unchanged = 0;

	vec_for_each(&p->comparison->items, item)
		nr += !changes_has(p, item, &nr_unchanged);
	if (nr)
		print_left_out(out, nr, things[p->tally->by][1],
			       ", without a change or with few samples");
}

static double count_of(const struct compared *item)
{
	return item->counts[0] + (double)item->counts[1];
}

/* Returns the count of the thing that has most, which most often is the root of all stacks. */
static double largest_count(const struct changes_printout *p)
{
	double largest = 0;

	vec_for_each(&p->comparison->items, item)
		largest = fmax(largest, count_of(item));
	return largest;
}

/* Returns the share of the whole that the larger side of @item has. */
static double share_of(const struct changes_printout *p, const struct compared *item,
		       double largest)
{
	if (p->per == PER_SAMPLES)
		return fmax(item->change.before, item->change.after);
	return count_of(item) / largest;
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	COMPARE(*x, *y);
	return 0;
}

/* Has @item a part in the smallest change of the sentence? */
static bool is_typical(const struct changes_printout *p, const struct compared *item,
		       double largest)
{
	return !isnan(item->visible) && !item->change.is_few && item->counts[0] &&
	       item->counts[1] && share_of(p, item, largest) >= SUMMARY_SHARE_MIN;
}

static struct changes_summary changes_summarize(const struct changes_printout *p)
{
	struct changes_summary summary = {.detectable = NAN};
	double *seen = calloc(p->comparison->items.nr + 1, sizeof(*seen)),
	       largest = largest_count(p);
	size_t nr = 0;

	vec_for_each(&p->comparison->items, item) {
		if (item->is_beside)
			continue;
		summary.nr++;
		summary.nr_changed += item->verdict == VERDICT_CHANGED;
		if (seen && is_typical(p, item, largest))
			seen[nr++] = item->visible;
	}
	if (nr) {
		qsort(seen, nr, sizeof(*seen), compare_doubles);
		summary.detectable = seen[(3 * nr + 3) / 4 - 1];
	}
	free(seen);
	return summary;
}

/* Prints "hot3 +13.9 % (9.2 to 18.7)". */
static void print_named(const struct changes_printout *p, struct textbuf *out,
			const struct compared *item)
{
	const struct change *change = &item->change;

	textbuf_printf(out, "%s ", string_set_get(&p->tally->keys, item->key));
	if (!item->counts[0] || !item->counts[1]) {
		textbuf_str(out, item->counts[0] ? "vanished" : "appeared");
		return;
	}
	print_relative(out, change->relative, 0, "+");
	if (isfinite(change->low) && isfinite(change->high))
		textbuf_printf(out, " (%.1f to %.1f)", 100 * change->low, 100 * change->high);
}

static void print_changed(const struct changes_printout *p, struct textbuf *out, size_t nr_changed)
{
	size_t nr = 0;

	vec_for_each(&p->comparison->items, item) {
		if (item->is_beside || item->verdict != VERDICT_CHANGED)
			continue;
		if (nr == NAMED_MAX) {
			textbuf_printf(out, ", and %zu more", nr_changed - nr);
			break;
		}
		textbuf_str(out, nr++ ? ", " : ": ");
		print_named(p, out, item);
	}
}

/* Prints the sentence. */
static void print_summary(const struct changes_printout *p, struct textbuf *out)
{
	const struct changes_summary summary = changes_summarize(p);
	const char *words = things[p->tally->by][1];

	if (!comparison_has_verdicts(p->comparison)) {
		textbuf_str(out, "No verdict: it takes three recordings on each side at least.\n");
		return;
	}
	if (summary.nr_changed)
		textbuf_printf(out, "%zu of %zu %s changed", summary.nr_changed, summary.nr, words);
	else
		textbuf_printf(out, "None of %zu %s changed", summary.nr, words);
	if (p->per != PER_SAMPLES) {
		textbuf_str(out, " in ");
		print_unit(p, "CPU time", "time off the CPU", out);
	}
	print_changed(p, out, summary.nr_changed);
	textbuf_char(out, '.');
	if (summary.detectable > 1)
		textbuf_printf(
			out,
			" The recordings are too few or too short to see less than a doubling in most %s.",
			words);
	else if (isfinite(summary.detectable))
		textbuf_printf(
			out,
			" In three of four %s above %g %% a change of %.0f %% would have been seen.",
			words, 100 * SUMMARY_SHARE_MIN, ceil(100 * summary.detectable));
	textbuf_char(out, '\n');
}

void print_changes(const struct changes_printout *p, struct textbuf *out)
{
	print_summary(p, out);
	print_header(p, out);
	print_some(p, out, has_changed, NULL);
	print_some(p, out, has_not_changed, NULL);
	print_all_left_out(p, out);
	print_some(p, out, compared_has_appeared, "appeared:");
	print_some(p, out, compared_has_vanished, "vanished:");
}

/* Prints @nr bytes of @text. A bar would end a cell, other characters mean something, too. */
static void print_plain(struct textbuf *out, const char *text, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (strchr("|`<>&*_[]\\", text[i]))
			textbuf_printf(out, "&#%u;", (unsigned char)text[i]);
		else
			textbuf_char(out, text[i]);
	}
}

static void print_code(struct textbuf *out, const char *text)
{
	textbuf_str(out, "<code>");
	print_plain(out, text, strlen(text));
	textbuf_str(out, "</code>");
}

/* Prints what was compared as a paragraph. */
static void print_markdown_basis(const struct changes_printout *p, struct textbuf *out)
{
	struct textbuf basis = {.fd = -1};

	print_basis(p, &basis);
	textbuf_char(out, '\n');
	print_plain(out, basis.data, basis.nr);
	textbuf_char(out, '\n');
	textbuf_fail(out, basis.error);
	textbuf_deinit(&basis);
}

static void print_markdown_item(const struct changes_printout *p, struct textbuf *out,
				const struct compared *item)
{
	textbuf_str(out, "| ");
	print_rate(out, p, 0, item->change.before);
	textbuf_str(out, " | ");
	print_rate(out, p, 0, item->change.after);
	textbuf_str(out, " | ");
	print_relative(out, item->change.relative, 0, "+");
	textbuf_str(out, " | ");
	print_relative(out, item->change.low, 0, "+");
	if (!isnan(item->change.low)) {
		textbuf_str(out, " to ");
		print_relative(out, item->change.high, 0, "+");
	}
	textbuf_printf(out, " | %s | ", verdict_text(item->verdict));
	print_code(out, string_set_get(&p->tally->keys, item->key));
	textbuf_str(out, " |\n");
}

void print_changes_markdown(const struct changes_printout *p, struct textbuf *out)
{
	struct textbuf left_out = {.fd = -1};
	size_t nr_unchanged = 0;

	print_summary(p, out);
	print_markdown_basis(p, out);
	textbuf_str(out, "\n| before | after | change | 95 % interval | verdict | name |\n"
			 "|---:|---:|---:|---:|---|---|\n");
	vec_for_each(&p->comparison->items, item) {
		if (changes_has(p, item, &nr_unchanged))
			print_markdown_item(p, out, item);
	}
	print_all_left_out(p, &left_out);
	if (left_out.nr) {
		textbuf_char(out, '\n');
		print_plain(out, left_out.data, left_out.nr);
	}
	textbuf_fail(out, left_out.error);
	textbuf_deinit(&left_out);
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

void print_plan(const struct plan *plan, const struct changes_printout *p, struct textbuf *out)
{
	const struct tally *tally = p->tally;
	size_t nr = p->all || plan->items.nr < UNCHANGED_SHOWN ? plan->items.nr : UNCHANGED_SHOWN;

	textbuf_printf(
		out,
		"recordings on each side, by their length, to find a change of %g %% in four of five cases\n",
		100 * plan->relative);
	textbuf_str(out, "RATE: ");
	print_unit(p, "CPU time", "time off the CPU", out);
	textbuf_str(out,
		    "; NOISE: standard deviation between recordings, beyond that of sampling\n");
	textbuf_printf(out, "%*s %*s", RATE_WIDTH, "RATE", CHANGE_WIDTH, "NOISE");
	for (int i = 0; i < PLAN_LENGTHS; i++)
		textbuf_printf(out, " %*.*f s", CHANGE_WIDTH - 2, plan->seconds < 10,
			       plan->seconds * (1 << i));
	textbuf_printf(out, "  %s\n", things[tally->by][0]);
	for (size_t i = 0; i < nr; i++) {
		print_planned(out, &plan->items.data[i], p->per);
		textbuf_printf(out, "  %s\n",
			       string_set_get(&tally->keys, plan->items.data[i].key));
	}
	if (nr < plan->items.nr)
		print_left_out(out, plan->items.nr - nr, things[tally->by][1], "");
}

static void put_item(const struct changes_printout *p, struct json *json,
		     const struct compared *item)
{
	json_open(json, NULL, '{');
	json_put_printed(json, "name", string_set_get(&p->tally->keys, item->key));
	json_put_safe(json, "verdict", verdict_text(item->verdict));
	json_open(json, "counts", '[');
	for (int side = 0; side < 2; side++)
		json_put_number(json, NULL, item->counts[side]);
	json_close(json, ']');
	json_put_double(json, "before", item->change.before);
	json_put_double(json, "after", item->change.after);
	json_put_double(json, "change", item->change.relative);
	json_put_double(json, "low", item->change.low);
	json_put_double(json, "high", item->change.high);
	json_put_double(json, "p_value", item->change.p_value);
	json_put_double(json, "detectable", item->visible);
	json_close(json, '}');
}

/* Puts @text, which is safe to print, and releases it. No text is null. */
static void put_text(struct json *json, const char *key, struct textbuf *text)
{
	bool has_text = text->nr;

	textbuf_char(text, '\0');
	textbuf_fail(json->out, text->error);
	if (has_text && !text->error)
		json_put_safe(json, key, text->data);
	else
		json_put_null(json, key);
	textbuf_deinit(text);
}

void print_changes_json(const struct changes_printout *p, struct textbuf *out)
{
	static const char *const denominators[] = {
		[PER_SAMPLES] = "samples",
		[PER_CPU] = "cpu",
		[PER_WORK] = "work",
	};
	const struct changes_summary summary = changes_summarize(p);
	struct textbuf unit = {.fd = -1}, shown = {.fd = -1};
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_put_safe(&json, "by", tally_by_words[p->tally->by]);
	json_put_safe(&json, "per", denominators[p->per]);
	print_unit(p, "CPU seconds", "seconds off the CPU", &unit);
	put_text(&json, "unit", &unit);
	filter_words_put(p->filter, p->span, "", "", &shown);
	put_text(&json, "shown", &shown);
	json_open(&json, "recordings", '[');
	for (int side = 0; side < 2; side++)
		json_put_number(&json, NULL, p->comparison->nr[side]);
	json_close(&json, ']');
	json_put_double(&json, "level", p->comparison->level);
	json_put_number(&json, "changed", summary.nr_changed);
	json_put_double(&json, "detectable", summary.detectable);
	json_open(&json, "items", '[');
	vec_for_each(&p->comparison->items, item)
		put_item(p, &json, item);
	json_close(&json, ']');
	json_close(&json, '}');
	textbuf_char(out, '\n');
}
