// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page_facts.h"

#include <math.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "report/model/process_name.h"
#include "report/model/shown_frames.h"
#include "report/text/json_text.h"
#include "report/text/json_writer.h"
#include "report/view/filter_words.h"
#include "report/view/shown_languages.h"

/* Prints the samples or hits that were taken of an event, and those that were lost. */
static void print_losses(struct json *json, const struct prof_end *end, uint32_t event)
{
	const struct prof_event_end *of_event = end->nr_events ? &end->events[event] : NULL;
	uint64_t lost = 0;

	json_put_number(json, "taken", of_event ? of_event->taken : end->taken);
	if (of_event && event_lost(of_event, &lost))
		json_put_number(json, "lost", lost);
	else if (!of_event)
		json_put_number(json, "lost", end->taken - end->counted);
}

static void print_event(struct json *json, const struct profile_part *part)
{
	const struct prof_meta *meta = part->source->rec.meta;

	json_put_text(json, "event", event_name(meta, part->event));
	json_put_text(json, "weight", event_weight(meta, part->event));
	json_put_text(json, "unit", event_unit(meta, part->event));
	if (event_is_sampled(meta, part->event)) {
		json_put_number(json, "freq", event_hz(meta, part->event));
		json_put_number(json, "period", meta->period);
	}
}

static void print_choice(struct json *json, const struct source *source)
{
	struct textbuf words = {.fd = -1};

	if (filter_words_put(&source->filter, &source->span, "", "", &words))
		textbuf_char(&words, '\0');
	if (words.error)
		textbuf_fail(json->out, words.error);
	else if (words.nr)
		json_put_safe(json, "shown", words.data);
	textbuf_deinit(&words);
}

static void print_part(struct json *json, const struct profile_part *part)
{
	const struct recording *rec = &part->source->rec;
	const struct prof_meta *meta = rec->meta;

	json_open(json, NULL, '{');
	json_put_text(json, "file", rec->name);
	json_put_text(json, "host", meta->hostname);
	json_put_text(json, "kernel", meta->kernel_release);
	json_put_text(json, "arch", meta->arch);
	json_put_text(json, "recorder", meta->recorder);
	json_put_text(json, "commandLine", meta->command_line);
	json_put_text(json, "command", meta->command);
	print_event(json, part);
	print_choice(json, part->source);
	json_put_number(json, "start", meta->start_realtime_ns / NS_PER_MS);
	if (meta->zone)
		json_put_number(json, "zone", meta->zone);
	if (rec->nr_recordings > 1)
		json_put_number(json, "recordings", rec->nr_recordings);
	if (rec->end) {
		json_put_number(json, "duration", rec->end->duration_ns / NS_PER_MS);
		print_losses(json, rec->end, part->event);
	} else {
		json_put_text(json, "defect", rec->defect);
	}
	json_put_number(json, "total", part->total);
	json_put_number(json, "whole", part->total + rec->model.left_out[part->event]);
	json_put_number(json, "userStacks", part->user_stacks);
	json_put_number(json, "completeStacks", part->complete_stacks);
	json_put_number(json, "firstSlot", part->first_slot);
	json_put_number(json, "nrSlots", part->nr_slots);
	json_close(json, '}');
}

static void print_slots(struct json *json, const struct page_profile *profile)
{
	json_open(json, "slots", '[');
	vec_for_each(&profile->slots, slot) {
		json_put_number(json, NULL, slot->begin_ns / NS_PER_MS);
		json_put_number(json, NULL, slot->end_ns / NS_PER_MS);
	}
	json_close(json, ']');
}

static void print_process_list(struct json *json, const struct page_profile *profile)
{
	json_open(json, "processes", '[');
	vec_for_each(&profile->processes, process) {
		const struct model *model = &profile->parts[process->part].source->rec.model;
		const struct model_process *p = &model->processes.data[process->process];

		json_open(json, NULL, '[');
		json_put_number(json, NULL, p->pid);
		json_put_text(json, NULL,
			      process_name(string_set_get(&model->strings, p->info.name),
					   string_set_get(&model->strings, p->info.exe)));
		json_close(json, ']');
	}
	json_close(json, ']');
}

/* Prints the files whose frames only run functions of a language. */
static void print_interpreters(struct json *json, const struct page_profile *profile)
{
	json_open(json, "interpreters", '[');
	for (uint32_t i = 0; i < profile->nr_parts; i++) {
		const struct model *model = &profile->parts[i].source->rec.model;

		for (uint32_t o = 0; o < model->objects.nr; o++)
			if (model_object_is_interpreter(model, o))
				json_put_text(json, NULL, model_object_base(model, o));
	}
	json_close(json, ']');
}

/* Returns the verdict on a function of the page; NULL: threads and missing stacks have none. */
static const struct compared *find_verdict(const struct page_profile *profile,
					   const struct page_functions *functions,
					   const struct page_function *function)
{
	uint32_t key;

	if (function->kind == PAGE_THREAD || function->kind == PAGE_MARK ||
	    !tally_find_function(profile->changes->tally,
				 string_set_get(&functions->strings, function->text), &key))
		return NULL;
	return comparison_find(profile->changes->comparison, key);
}

/* Infinite numbers and those that are not known are null. */
static void print_numbers(struct json *json, const double *numbers, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		json_key(json, NULL);
		if (isfinite(numbers[i]))
			textbuf_printf(json->out, "%.5g", numbers[i]);
		else
			textbuf_str(json->out, "null");
	}
}

/* Prints the verdicts, and which of them is that of each function. */
static void print_verdicts(struct json *json, const struct page_profile *profile,
			   const struct page_functions *functions)
{
	static const char *const units[] = {
		[PER_SAMPLES] = "",
		[PER_CPU] = "CPU s/s",
		[PER_WORK] = "CPU s for a unit of work",
	};
	const struct comparison *comparison = profile->changes->comparison;
	const char *work = profile->changes->work;

	json_key(json, "unitOfChanges");
	if (work[0])
		textbuf_printf(json->out, "\"CPU s per %s\"", work);
	else
		json_string(json->out, units[profile->changes->per]);
	json_put_number(json, "hasVerdicts", comparison_has_verdicts(comparison));
	json_open(json, "changes", '[');
	vec_for_each(&comparison->items, item) {
		const struct change *c = &item->change;
		const double numbers[] = {c->before, c->after, c->relative, c->low, c->high};

		json_open(json, NULL, '[');
		json_put_safe(json, NULL, verdict_text(item->verdict));
		print_numbers(json, numbers, ARRAY_SIZE(numbers));
		json_close(json, ']');
	}
	json_close(json, ']');
	json_open(json, "changeOf", '[');
	vec_for_each(&functions->items, function) {
		const struct compared *item = find_verdict(profile, functions, function);

		json_key(json, NULL);
		textbuf_printf(json->out, "%td", item ? item - comparison->items.data : -1);
	}
	json_close(json, ']');
}

static void print_profile(struct json *json, const struct page_profile *profile,
			  const struct page_functions *functions)
{
	json_open(json, NULL, '{');
	json_put_number(json, "nrNodes", profile->trie.functions.nr);
	json_put_number(json, "nrCells", profile->trie.cells.nr);
	json_put_number(json, "nrBefore", profile->nr_before);
	json_put_number(json, "normalized", profile->is_normalized);
	if (profile->changes)
		print_verdicts(json, profile, functions);
	page_sources_put(json, &profile->sources);
	print_slots(json, profile);
	print_process_list(json, profile);
	print_interpreters(json, profile);
	json_open(json, "parts", '[');
	for (uint32_t i = 0; i < profile->nr_parts; i++)
		print_part(json, &profile->parts[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void print_languages(struct json *json, const struct page_functions *functions)
{
	json_open(json, "languages", '[');
	vec_for_each(&functions->languages, language) {
		const char *key = string_set_get(&functions->strings, *language);
		const struct shown_language *known = shown_language_find(key);

		json_open(json, NULL, '{');
		json_put_safe(json, "name", known ? known->name : key);
		if (known)
			json_put_number(json, "hue", known->hue);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void page_print_facts(struct textbuf *out, const struct page_profile *profiles, size_t nr,
		      const struct page_functions *functions)
{
	struct json facts = {.out = out, .is_shown = true}, *json = &facts;

	json_open(json, NULL, '{');
	print_languages(json, functions);
	json_open(json, "profiles", '[');
	for (size_t i = 0; i < nr; i++)
		print_profile(json, &profiles[i], functions);
	json_close(json, ']');
	json_close(json, '}');
}
