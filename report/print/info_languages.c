// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/info_languages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/model/event_choice.h"
#include "report/model/shown_frames.h"
#include "report/print/info_lines.h"

/* A recording of a fleet has a few versions of a few interpreters. */
#define RUNTIMES_MAX 64

/* What a stack has of a language, one bit each. */
enum stack_parts {
	HAS_FUNCTIONS = 1,
	HAS_DISPLACED = 2, /* functions without a place between the native frames */
	HAS_UNREAD = 4,    /* functions that could not be read */
};

static bool is_same_runtime(const struct model_object *a, const struct model_object *b)
{
	return a->language == b->language && a->version == b->version &&
	       a->language_role == b->language_role;
}

static void print_string(const struct model *model, uint32_t id, struct textbuf *out)
{
	const struct string *s = &model->strings.items.data[id];

	textbuf_escaped(out, s->s, s->len, TEXT_PLAIN);
}

/* Prints each version of each interpreter once. */
static void print_runtimes(const struct model *model, struct textbuf *out)
{
	const struct model_object *seen[RUNTIMES_MAX];
	size_t nr = 0;

	vec_for_each(&model->objects, object) {
		bool is_known = !object->language || object->language_role == PROF_LANGUAGE_SOURCE;

		for (size_t i = 0; i < nr && !is_known; i++)
			is_known = is_same_runtime(seen[i], object);
		if (is_known || nr == RUNTIMES_MAX)
			continue;
		seen[nr++] = object;
		info_key(out, "interpreter");
		print_string(model, object->version, out);
		textbuf_str(out, " [");
		print_string(model, object->language, out);
		textbuf_str(out, object->language_role == PROF_LANGUAGE_UNSUPPORTED
					 ? "], a version without support: no functions\n"
					 : "]\n");
	}
}

/* Adds what @frame says to @parts. A note is in a source without a path. */
static uint8_t frame_parts(const struct model *model, uint32_t frame)
{
	const struct model_frame *f = &model->frames.data[frame];

	if (!model_frame_is_source(model, frame))
		return 0;
	if (model->objects.data[f->object].key.path)
		return HAS_FUNCTIONS;
	switch (f->offset) {
	case PROF_SOURCE_NOTE(PROF_NOTE_DISPLACED):
		return HAS_DISPLACED;
	case PROF_SOURCE_NOTE(PROF_NOTE_UNREADABLE):
		return HAS_UNREAD;
	default:
		return HAS_FUNCTIONS;
	}
}

static uint8_t stack_parts(const struct model *model, uint32_t id)
{
	const struct model_stack *stack = &model->stacks.data[id];
	uint8_t parts = 0;

	for (uint32_t i = 0; i < stack->nr_frames; i++)
		parts |= frame_parts(model, model->stack_frames.data[stack->first_frame + i]);
	return parts;
}

/* @parts is by stack. */
static void print_stacks_of(const struct recording *rec, uint32_t event, const uint8_t *parts,
			    struct textbuf *out)
{
	uint64_t with = 0, displaced = 0, unread = 0;

	vec_for_each(&rec->model.rows, row) {
		uint8_t has = row->event == event ? parts[row->user_stack] : 0;

		with += has & HAS_FUNCTIONS ? row->count : 0;
		displaced += has & HAS_DISPLACED ? row->count : 0;
		unread += has & HAS_UNREAD ? row->count : 0;
	}
	info_key(out, "of languages");
	textbuf_printf(out, "%" PRIu64 " %s ", with, event_unit(rec->meta, event));
	if (rec->meta->nr_events > 1)
		textbuf_printf(out, "of event %" PRIu32 " ", event + 1);
	textbuf_printf(out,
		       "with functions, %" PRIu64 " with functions out of place, %" PRIu64
		       " with functions that could not be read\n",
		       displaced, unread);
}

int info_languages(const struct recording *rec, struct textbuf *out)
{
	const struct model *model = &rec->model;
	_cleanup_free_ uint8_t *parts = NULL;

	if (!model->has_languages)
		return 0;
	print_runtimes(model, out);
	parts = calloc(model->stacks.nr, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < model->stacks.nr; i++)
		parts[i] = stack_parts(model, i);
	for (uint32_t i = 0; i < (rec->meta->nr_events ? rec->meta->nr_events : 1); i++)
		print_stacks_of(rec, i, parts, out);
	return 0;
}
