// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/info_languages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/model/event_choice.h"
#include "report/model/shown_frames.h"
#include "report/print/info_lines.h"
#include "report/print/info_numbers.h"

/* A recording of a fleet has a few versions of a few interpreters. */
#define RUNTIMES_MAX 64

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

void print_runtime(const struct model *model, const struct model_object *object,
		   struct textbuf *out)
{
	print_string(model, object->version, out);
	textbuf_str(out, " [");
	print_string(model, object->language, out);
	textbuf_char(out, ']');
}

/* Each version of each interpreter once. */
struct runtimes {
	const struct model_object *seen[RUNTIMES_MAX];
	size_t nr;
};

static struct runtimes find_runtimes(const struct model *model)
{
	struct runtimes r = {.nr = 0};

	vec_for_each(&model->objects, object) {
		bool is_known = !object->language || object->language_role == PROF_LANGUAGE_SOURCE;

		for (size_t i = 0; i < r.nr && !is_known; i++)
			is_known = is_same_runtime(r.seen[i], object);
		if (!is_known && r.nr < RUNTIMES_MAX)
			r.seen[r.nr++] = object;
	}
	return r;
}

static void print_runtimes(const struct model *model, struct textbuf *out)
{
	struct runtimes runtimes = find_runtimes(model);

	for (size_t i = 0; i < runtimes.nr; i++) {
		const struct model_object *object = runtimes.seen[i];

		info_key(out, "interpreter");
		print_runtime(model, object, out);
		textbuf_str(out, object->language_role == PROF_LANGUAGE_UNSUPPORTED
					 ? ", without support: no functions\n"
					 : "\n");
	}
}

static void print_stacks_of(const struct recording *rec, uint32_t event,
			    const struct language_numbers *nr, struct textbuf *out)
{
	info_key(out, "of languages");
	textbuf_printf(out, "%" PRIu64 " %s ", nr->with, event_unit(rec->meta, event));
	if (rec->meta->nr_events > 1)
		textbuf_printf(out, "of event %" PRIu32 " ", event + 1);
	textbuf_printf(out,
		       "with functions, %" PRIu64 " with functions out of place, %" PRIu64
		       " with functions that could not be read\n",
		       nr->displaced, nr->unread);
}

int info_languages(const struct recording *rec, struct textbuf *out)
{
	struct language_numbers numbers[PROF_MAX_EVENTS];
	int ret;

	if (!rec->model.has_languages)
		return 0;
	print_runtimes(&rec->model, out);
	ret = language_numbers_count(rec, numbers);
	for (uint32_t i = 0; i < nr_event_sums(rec->meta) && !ret; i++)
		print_stacks_of(rec, i, &numbers[i], out);
	return ret;
}

static void print_runtime_stacks(const struct recording *rec, uint32_t event,
				 const struct runtime_stacks *stacks, struct textbuf *out)
{
	const char *help = runtime_help(stacks->name);

	if (!stacks->incomplete)
		return;
	info_key(out, "of runtimes");
	textbuf_printf(out, "%" PRIu64 " of %" PRIu64 " %s ", stacks->incomplete, stacks->all,
		       event_unit(rec->meta, event));
	if (rec->meta->nr_events > 1)
		textbuf_printf(out, "of event %" PRIu32 " ", event + 1);
	textbuf_str(out, "in ");
	textbuf_escaped(out, stacks->name, strlen(stacks->name), TEXT_PLAIN);
	textbuf_printf(out, " end in code that cannot be walked%s%s\n", help ? "; " : "",
		       help ? help : "");
}

int info_runtimes(const struct recording *rec, struct textbuf *out)
{
	struct runtimes_stacks sums;

	for (uint32_t i = 0; i < nr_event_sums(rec->meta); i++) {
		int ret = runtimes_stacks_count(&rec->model, i, &sums);

		if (ret)
			return ret;
		for (size_t n = 0; n < sums.nr; n++)
			print_runtime_stacks(rec, i, &sums.of[n], out);
	}
	return 0;
}

void info_languages_json(const struct recording *rec, struct json *json)
{
	const struct model *model = &rec->model;
	struct runtimes runtimes = find_runtimes(model);

	json_open(json, "interpreters", '[');
	for (size_t i = 0; i < runtimes.nr; i++) {
		const struct model_object *object = runtimes.seen[i];

		json_open(json, NULL, '{');
		json_put_text(json, "language", string_set_get(&model->strings, object->language));
		json_put_text(json, "version", string_set_get(&model->strings, object->version));
		json_put_bool(json, "supported",
			      object->language_role != PROF_LANGUAGE_UNSUPPORTED);
		json_close(json, '}');
	}
	json_close(json, ']');
}
