// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "report/export/exporters.h"
#include "report/export/stack_places.h"
#include "report/export/timed_rows.h"
#include "report/text/json_text.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct speedscope {
	const struct printout *p;
	struct textbuf *out;
	stack_place_vec places;
	struct string_set frames; /* number - 1 is the index of a frame */
	struct textbuf label;
	VEC(uint64_t) weights;
};

/* Appends the index of the frame whose name is in the label buffer. */
static int print_index(struct speedscope *s, bool *is_first)
{
	uint32_t id;
	int ret = s->label.error;

	if (!ret)
		ret = string_set_add(&s->frames, s->label.data, s->label.nr, &id);
	s->label.nr = 0;
	if (ret)
		return ret;
	textbuf_printf(s->out, "%s%" PRIu32, *is_first ? "" : ",", id - 1);
	*is_first = false;
	return 0;
}

static int print_place(struct speedscope *s, const struct stack_place *place, bool *is_first)
{
	uint32_t nr = place->text ? 1 : labels_nr_parts(s->p->labels, place->frame, place->place);
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i++) {
		uint32_t part = place->is_wakers ? i : nr - 1 - i;

		if (place->text)
			textbuf_str(&s->label, place->text);
		else
			labels_part(s->p->labels, &s->label, place->frame, place->place, part);
		ret = print_index(s, is_first);
	}
	return ret;
}

static int print_row(void *ctx, const struct timed_row *timed)
{
	const struct stack_row *row = &timed->row;
	struct speedscope *s = ctx;
	bool is_first = true;
	int ret = stack_places_make(row, &s->places);

	if (!ret)
		ret = vec_push(&s->weights, row->count);
	textbuf_str(s->out, s->weights.nr > 1 ? ",\n[" : "[");
	if (!ret && printout_has_threads(s->p)) {
		if (row->comm)
			labels_thread(s->p->labels, &s->label, row->comm, row->tid);
		else
			textbuf_str(&s->label, UNNAMED_THREAD);
		ret = print_index(s, &is_first);
	}
	for (size_t i = 0; i < s->places.nr && !ret; i++)
		ret = print_place(s, &s->places.data[i], &is_first);
	textbuf_char(s->out, ']');
	return ret;
}

static void print_weights(struct speedscope *s)
{
	uint64_t sum = 0;

	textbuf_str(s->out, "],\n\"weights\":[");
	for (size_t i = 0; i < s->weights.nr; i++) {
		textbuf_str(s->out, i ? "," : "");
		textbuf_u64(s->out, s->weights.data[i]);
		sum += s->weights.data[i];
	}
	textbuf_printf(s->out, "],\n\"startValue\":0,\"endValue\":%" PRIu64 "}],\n", sum);
}

static void print_frames(struct speedscope *s)
{
	textbuf_str(s->out, "\"shared\":{\"frames\":[");
	for (size_t i = 1; i < s->frames.items.nr; i++) {
		textbuf_str(s->out, i > 1 ? ",\n{\"name\":" : "{\"name\":");
		json_string(s->out, s->frames.items.data[i].s);
		textbuf_char(s->out, '}');
	}
	textbuf_str(s->out, "]}}\n");
}

static const char *unit_of(const struct printout *p)
{
	const struct prof_event *event = printed_event(p);

	if (event && event->unit == PROF_UNIT_NS)
		return "nanoseconds";
	return event && event->unit == PROF_UNIT_BYTES ? "bytes" : "none";
}

int export_speedscope(const struct printout *p, struct rows_summary *summary)
{
	struct speedscope s = {.p = p, .out = p->out, .label.fd = -1};
	int ret = string_set_init(&s.frames);

	if (ret)
		return ret;
	textbuf_str(p->out, "{\"$schema\":\"" SCHEMA "\",\"exporter\":\"profrep\",\n\"name\":");
	json_escaped(p->out, p->rec->name, TEXT_DATA);
	textbuf_str(p->out, ",\"profiles\":[{\"type\":\"sampled\",\"name\":");
	json_escaped(p->out, event_name(p->rec->meta, p->view->event), TEXT_DATA);
	textbuf_printf(p->out, ",\"unit\":\"%s\",\n\"samples\":[", unit_of(p));
	ret = timed_rows_visit(p, print_row, &s, summary);
	print_weights(&s);
	print_frames(&s);
	vec_free(&s.places);
	vec_free(&s.weights);
	string_set_deinit(&s.frames);
	textbuf_deinit(&s.label);
	return ret;
}
