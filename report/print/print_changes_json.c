// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/print_changes.h"
#include "report/text/json_writer.h"

static void print_item(const struct changes_printout *p, struct json *json,
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
	print_changes_unit(p, "CPU seconds", "seconds off the CPU", &unit);
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
		print_item(p, &json, item);
	json_close(&json, ']');
	json_close(&json, '}');
	textbuf_char(out, '\n');
}
