// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/change_limits.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/parse.h"
#include "common/text.h"
#include "common/words.h"

/* Sets *@percent, and *@len to the length of the name. Names hold '=', so the last one divides. */
static int parse_budget(const char *budget, size_t *len, double *percent)
{
	const char *sign = strrchr(budget, '=');

	if (!sign || sign == budget)
		return -EINVAL;
	*len = sign - budget;
	return parse_percent(sign + 1, 0, 100, percent);
}

int change_limits_check(const struct change_limits *limits, struct err *err)
{
	double percent;
	size_t len;

	vec_for_each(&limits->budgets, budget) {
		if (!parse_budget(*budget, &len, &percent))
			continue;
		return err_set(err, -EINVAL,
			       "option --budget: '%s' is not FUNCTION=PERCENT, with up to 100",
			       *budget);
	}
	return 0;
}

/* Finds what is called @name, or is printed so. */
static const struct compared *find_name(const struct comparison *comparison,
					const struct tally *tally, const char *name,
					const char *printed)
{
	vec_for_each(&comparison->items, item) {
		const char *key = string_set_get(&tally->keys, item->key);

		if (!strcmp(key, name) || !strcmp(key, printed))
			return item;
	}
	return NULL;
}

/* A budget of nothing would be kept for ever, and most often its name is a slip. */
static void refuse_name(const struct comparison *comparison, const struct tally *tally,
			const char *shown, struct textbuf *text)
{
	struct suggestion near;

	suggestion_init(&near, shown);
	vec_for_each(&comparison->items, item)
		suggestion_try(&near, string_set_get(&tally->keys, item->key));
	textbuf_printf(text, "FAILED: --budget: no function with samples is called '%s'", shown);
	if (near.best)
		textbuf_printf(text, "; did you mean '%s'?\n", near.best);
	else
		textbuf_str(text, "; --all prints the names of all functions.\n");
}

/* Returns the outcome of @budget. */
static enum limits_outcome check_budget(const char *budget, const struct comparison *comparison,
					const struct tally *tally, struct textbuf *text)
{
	_cleanup_free_ char *name = NULL, *shown = NULL;
	const struct compared *item;
	double percent = 0;
	size_t len = 0;

	if (parse_budget(budget, &len, &percent))
		return LIMITS_KEPT;
	name = strndup(budget, len);
	shown = name ? text_escape(name, len, TEXT_PLAIN) : NULL;
	if (!shown) {
		textbuf_fail(text, -ENOMEM);
		return LIMITS_KEPT;
	}
	item = find_name(comparison, tally, name, shown);
	if (!item) {
		refuse_name(comparison, tally, shown, text);
		return LIMITS_UNKNOWN;
	}
	if (100 * item->change.after <= percent)
		return LIMITS_KEPT;
	textbuf_printf(text, "FAILED: %s takes %.2f %%, more than --budget allows (%g %%).\n",
		       shown, 100 * item->change.after, percent);
	return LIMITS_BUDGET;
}

/* Returns true if @item changed by @limit percent or more. */
static bool check_change(const struct compared *item, const struct tally *tally, double limit,
			 double change, const char *option, struct textbuf *text)
{
	if (limit <= 0 || item->is_beside || item->verdict != VERDICT_CHANGED || !item->counts[0] ||
	    !item->counts[1] || 100 * change < limit)
		return false;
	textbuf_printf(text, "FAILED: %s changed by %+.1f %% (%s %g).\n",
		       string_set_get(&tally->keys, item->key), 100 * item->change.relative, option,
		       limit);
	return true;
}

enum limits_outcome change_limits_find(const struct change_limits *limits,
				       const struct comparison *comparison,
				       const struct tally *tally, struct textbuf *text)
{
	bool is_slower = false, is_over = false, has_changed = false, is_unknown = false;
	bool wants_verdict = limits->change_percent > 0 || limits->slower_percent > 0;

	vec_for_each(&comparison->items, item)
		is_slower |= check_change(item, tally, limits->slower_percent,
					  item->change.relative, "--fail-on-slower", text);
	vec_for_each(&limits->budgets, budget) {
		enum limits_outcome outcome = check_budget(*budget, comparison, tally, text);

		is_over |= outcome == LIMITS_BUDGET;
		is_unknown |= outcome == LIMITS_UNKNOWN;
	}
	vec_for_each(&comparison->items, item)
		has_changed |= check_change(item, tally, limits->change_percent,
					    fabs(item->change.relative), "--fail-on-change", text);
	if (wants_verdict && !comparison_has_verdicts(comparison)) {
		textbuf_str(text, "WARNING: too few recordings for a verdict: --fail-on-change and "
				  "--fail-on-slower need three on each side.\n");
		is_unknown = true;
	}
	if (is_slower)
		return LIMITS_SLOWER;
	if (is_over)
		return LIMITS_BUDGET;
	if (has_changed)
		return LIMITS_CHANGED;
	return is_unknown ? LIMITS_UNKNOWN : LIMITS_KEPT;
}
