// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "report/compare/print_changes.h"
#include "report/text/json_text.h"

static void print_number(struct textbuf *out, const char *key, double value)
{
	if (isfinite(value))
		textbuf_printf(out, ",\"%s\":%.9g", key, value);
	else
		textbuf_printf(out, ",\"%s\":null", key);
}

static void print_item(const struct changes_printout *p, struct textbuf *out,
		       const struct compared *item)
{
	textbuf_str(out, "{\"name\":");
	json_string(out, string_set_get(&p->tally->keys, item->key));
	textbuf_printf(out, ",\"verdict\":\"%s\",\"counts\":[%" PRIu64 ",%" PRIu64 "]",
		       verdict_text(item->verdict), item->counts[0], item->counts[1]);
	print_number(out, "before", item->change.before);
	print_number(out, "after", item->change.after);
	print_number(out, "change", item->change.relative);
	print_number(out, "low", item->change.low);
	print_number(out, "high", item->change.high);
	print_number(out, "p_value", item->change.p_value);
	print_number(out, "detectable", item->visible);
	textbuf_char(out, '}');
}

void print_changes_json(const struct changes_printout *p, struct textbuf *out)
{
	static const char *const denominators[] = {
		[PER_SAMPLES] = "samples",
		[PER_CPU] = "cpu",
		[PER_WORK] = "work",
	};
	const struct changes_summary summary = changes_summarize(p);
	const char *separator = "\n";

	textbuf_printf(out, "{\"by\":\"%s\",\"per\":\"%s\",\"recordings\":[%zu,%zu]",
		       tally_by_words[p->tally->by], denominators[p->per], p->comparison->nr[0],
		       p->comparison->nr[1]);
	print_number(out, "level", p->comparison->level);
	textbuf_printf(out, ",\"changed\":%zu", summary.nr_changed);
	print_number(out, "detectable", summary.detectable);
	textbuf_str(out, ",\"items\":[");
	vec_for_each(&p->comparison->items, item) {
		textbuf_str(out, separator);
		print_item(p, out, item);
		separator = ",\n";
	}
	textbuf_str(out, "\n]}\n");
}
