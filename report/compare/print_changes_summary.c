// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentence about a comparison, and the comparison as a text for a pull request. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "report/compare/print_changes.h"

/* Things that the sentence names. */
#define NAMED_MAX 3

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

struct changes_summary changes_summarize(const struct changes_printout *p)
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

void print_changes_summary(const struct changes_printout *p, struct textbuf *out)
{
	const struct changes_summary summary = changes_summarize(p);
	const char *words = changes_things(p->tally->by);

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
		print_changes_unit(p, "CPU time", "time off the CPU", out);
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

	print_changes_basis(p, &basis);
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

	print_changes_summary(p, out);
	print_markdown_basis(p, out);
	textbuf_str(out, "\n| before | after | change | 95 % interval | verdict | name |\n"
			 "|---:|---:|---:|---:|---|---|\n");
	vec_for_each(&p->comparison->items, item) {
		if (changes_has(p, item, &nr_unchanged))
			print_markdown_item(p, out, item);
	}
	print_changes_left_out(p, &left_out);
	if (left_out.nr) {
		textbuf_char(out, '\n');
		print_plain(out, left_out.data, left_out.nr);
	}
	textbuf_fail(out, left_out.error);
	textbuf_deinit(&left_out);
}
