// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the events of a recording one after the other, each below its headline. */
#include "report/print/printers.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "format/headline.h"
#include "report/view/filter_words.h"

/* Makes the line about the recording, which the caller frees. Returns NULL if memory runs out. */
static char *make_recording_line(const struct printout *p)
{
	const struct prof_meta *meta = p->rec->meta;
	const struct prof_end *end = p->rec->end;
	const struct prof_event_end *of_event =
		end && end->nr_events ? &end->events[p->view->event] : NULL;
	struct headline_facts facts = {
		.every_nth = of_event ? of_event->every_nth : 0,
		.shed_gap = of_event ? of_event->shed_gap : 0,
		.nr_recordings = p->rec->nr_recordings,
		.duration_ns = meta->duration_ns,
	};

	/* Together, recordings lasted some odd time. */
	if (p->rec->nr_recordings > 1)
		facts.duration_ns = (facts.duration_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
	return headline_format(meta, printed_event(p), &facts);
}

/* Makes the headline, which the caller frees. Returns NULL if memory runs out. */
static char *make_headline(const struct printout *p)
{
	_cleanup_free_ char *recording = make_recording_line(p);
	struct textbuf line = {.fd = -1};

	if (!recording)
		return NULL;
	textbuf_str(&line, recording);
	filter_words_put(p->filter, p->span, " Shown: ", ".", &line);
	textbuf_char(&line, '\0');
	if (!line.error)
		return line.data;
	textbuf_deinit(&line);
	return NULL;
}

int print_headline(const struct printout *p)
{
	_cleanup_free_ char *text = make_headline(p);

	if (!text)
		return -ENOMEM;
	textbuf_str(p->out, text);
	textbuf_char(p->out, '\n');
	return 0;
}

void print_event_name(const struct prof_meta *meta, uint32_t event, struct textbuf *out)
{
	const char *name = event_name(meta, event), *weight = event_weight(meta, event);

	textbuf_char(out, '\'');
	textbuf_escaped(out, name, strlen(name), TEXT_PLAIN);
	textbuf_char(out, '\'');
	if (weight[0]) {
		textbuf_str(out, " (");
		textbuf_escaped(out, weight, strlen(weight), TEXT_PLAIN);
		textbuf_char(out, ')');
	}
}

int source_print_events(struct source *source, struct textbuf *out,
			int (*print)(const struct printout *p, void *ctx), void *ctx)
{
	const struct printout p = source_printout(source, out);
	int ret = 0;

	for (uint32_t i = 0; i < source->events.nr && !ret; i++) {
		source->view.event = source->events.first + i;
		ret = print(&p, ctx);
	}
	return ret;
}

/* The tables of source_print_tables. */
struct tables {
	print_table_fn print;
	const struct terminal *terminal;
	bool has_headlines;
	bool has_table; /* one was printed */
};

static int print_table(const struct printout *p, void *ctx)
{
	struct tables *tables = ctx;
	int ret = 0;

	if (tables->has_table)
		textbuf_char(p->out, '\n');
	if (tables->has_headlines)
		ret = print_headline(p);
	tables->has_table = true;
	if (ret || (tables->has_headlines && printout_note_none(p)))
		return ret;
	return tables->print(p, tables->terminal);
}

int source_print_tables(struct source *source, struct textbuf *out, print_table_fn print,
			const struct terminal *terminal)
{
	struct tables tables = {
		.print = print,
		.terminal = terminal,
		.has_headlines = source->events.nr > 1,
	};

	return source_print_events(source, out, print_table, &tables);
}

/* The objects of source_print_json. */
struct json_events {
	struct json json;
	print_json_fn print;
	void *ctx;
};

static int print_json_event(const struct printout *p, void *ctx)
{
	_cleanup_free_ char *headline = make_headline(p);
	const struct prof_meta *meta = p->rec->meta;
	struct json_events *events = ctx;
	struct json *json = &events->json;
	int ret;

	if (!headline)
		return -ENOMEM;
	json_open(json, NULL, '{');
	json_put_text(json, "event", event_name(meta, p->view->event));
	json_put_text(json, "weight", event_weight(meta, p->view->event));
	json_put_safe(json, "unit", event_unit(meta, p->view->event));
	json_put_safe(json, "headline", headline);
	ret = events->print(p, json, events->ctx);
	json_close(json, '}');
	return ret;
}

int source_print_json(struct source *source, struct textbuf *out, print_json_fn print, void *ctx)
{
	struct json_events events = {{.out = out}, print, ctx};
	int ret;

	json_open(&events.json, NULL, '{');
	json_put_number(&events.json, "recordings", source->rec.nr_recordings);
	json_open(&events.json, "events", '[');
	ret = source_print_events(source, out, print_json_event, &events);
	json_close(&events.json, ']');
	json_close(&events.json, '}');
	textbuf_char(out, '\n');
	return ret;
}

const char *column_of_counts(const struct printout *p)
{
	static const char *const titles[PROF_NR_EVENT_UNITS] = {
		[PROF_UNIT_EVENTS] = "HITS",
		[PROF_UNIT_NS] = "NS",
		[PROF_UNIT_BYTES] = "BYTES",
		[PROF_UNIT_NUMBER] = "SUM",
	};
	const struct prof_event *event = printed_event(p);

	if (!event || (event->kind == PROF_EVENT_SAMPLES && event->unit == PROF_UNIT_EVENTS))
		return "SAMPLES";
	return titles[event->unit];
}
