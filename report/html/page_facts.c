// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page_facts.h"

#include <math.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "report/model/process_name.h"
#include "report/text/json_text.h"

/* Ends a list whose members each end with a comma. */
static void end_list(struct textbuf *out, char bracket)
{
	if (out->nr && out->data[out->nr - 1] == ',')
		out->nr--;
	textbuf_char(out, bracket);
	textbuf_char(out, ',');
}

static void begin_list(struct textbuf *out, const char *key)
{
	json_string(out, key);
	textbuf_str(out, ":[");
}

/* Prints the samples or hits that were taken of an event, and those that were lost. */
static void print_losses(struct textbuf *out, const struct prof_end *end, uint32_t event)
{
	const struct prof_event_end *of_event = end->nr_events ? &end->events[event] : NULL;
	uint64_t lost = 0;

	json_number_member(out, "taken", of_event ? of_event->taken : end->taken);
	if (of_event && event_lost(of_event, &lost))
		json_number_member(out, "lost", lost);
	else if (!of_event)
		json_number_member(out, "lost", end->taken - end->counted);
}

static void print_event(struct textbuf *out, const struct profile_part *part)
{
	const struct prof_meta *meta = part->source->rec.meta;

	json_text_member(out, "event", event_name(meta, part->event));
	json_text_member(out, "weight", event_weight(meta, part->event));
	json_text_member(out, "unit", event_unit(meta, part->event));
	if (event_is_sampled(meta, part->event)) {
		json_number_member(out, "freq", event_hz(meta, part->event));
		json_number_member(out, "period", meta->period);
	}
}

static void print_part(struct textbuf *out, const struct profile_part *part)
{
	const struct recording *rec = &part->source->rec;
	const struct prof_meta *meta = rec->meta;

	textbuf_char(out, '{');
	json_text_member(out, "file", rec->name);
	json_text_member(out, "host", meta->hostname);
	json_text_member(out, "kernel", meta->kernel_release);
	json_text_member(out, "arch", meta->arch);
	json_text_member(out, "recorder", meta->recorder);
	json_text_member(out, "commandLine", meta->command_line);
	json_text_member(out, "command", meta->command);
	print_event(out, part);
	json_number_member(out, "start", meta->start_realtime_ns / NS_PER_MS);
	if (meta->zone)
		json_number_member(out, "zone", meta->zone);
	if (rec->nr_recordings > 1)
		json_number_member(out, "recordings", rec->nr_recordings);
	if (rec->end) {
		json_number_member(out, "duration", rec->end->duration_ns / NS_PER_MS);
		print_losses(out, rec->end, part->event);
	} else {
		json_text_member(out, "defect", rec->defect);
	}
	json_number_member(out, "total", part->total);
	json_number_member(out, "whole", part->total + rec->model.left_out[part->event]);
	json_number_member(out, "userStacks", part->user_stacks);
	json_number_member(out, "completeStacks", part->complete_stacks);
	json_number_member(out, "firstSlot", part->first_slot);
	json_number_member(out, "nrSlots", part->nr_slots);
	end_list(out, '}');
}

static void print_slots(struct textbuf *out, const struct page_profile *profile)
{
	begin_list(out, "slots");
	vec_for_each(&profile->slots, slot) {
		textbuf_u64(out, slot->begin_ns / NS_PER_MS);
		textbuf_char(out, ',');
		textbuf_u64(out, slot->end_ns / NS_PER_MS);
		textbuf_char(out, ',');
	}
	end_list(out, ']');
}

static void print_process_list(struct textbuf *out, const struct page_profile *profile)
{
	begin_list(out, "processes");
	vec_for_each(&profile->processes, process) {
		const struct model *model = &profile->parts[process->part].source->rec.model;
		const struct model_process *p = &model->processes.data[process->process];

		textbuf_char(out, '[');
		textbuf_u64(out, p->pid);
		textbuf_char(out, ',');
		json_escaped(out, process_name(string_set_get(&model->strings, p->info.name),
					       string_set_get(&model->strings, p->info.exe)));
		textbuf_str(out, "],");
	}
	end_list(out, ']');
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
static void print_numbers(struct textbuf *out, const double *numbers, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (isfinite(numbers[i]))
			textbuf_printf(out, "%.5g,", numbers[i]);
		else
			textbuf_str(out, "null,");
	}
}

/* Prints the verdicts, and which of them is that of each function. */
static void print_verdicts(struct textbuf *out, const struct page_profile *profile,
			   const struct page_functions *functions)
{
	static const char *const units[] = {
		[PER_SAMPLES] = "",
		[PER_CPU] = "CPU s/s",
		[PER_WORK] = "CPU s for a unit of work",
	};
	const struct comparison *comparison = profile->changes->comparison;

	json_text_member(out, "unitOfChanges", units[profile->changes->per]);
	json_number_member(out, "hasVerdicts", comparison_has_verdicts(comparison));
	begin_list(out, "changes");
	vec_for_each(&comparison->items, item) {
		const struct change *c = &item->change;
		const double numbers[] = {c->before, c->after, c->relative, c->low, c->high};

		textbuf_char(out, '[');
		json_string(out, verdict_text(item->verdict));
		textbuf_char(out, ',');
		print_numbers(out, numbers, ARRAY_SIZE(numbers));
		end_list(out, ']');
	}
	end_list(out, ']');
	begin_list(out, "changeOf");
	vec_for_each(&functions->items, function) {
		const struct compared *item = find_verdict(profile, functions, function);

		textbuf_printf(out, "%td,", item ? item - comparison->items.data : -1);
	}
	end_list(out, ']');
}

static void print_profile(struct textbuf *out, const struct page_profile *profile,
			  const struct page_functions *functions)
{
	textbuf_char(out, '{');
	json_number_member(out, "nrNodes", profile->trie.nodes.nr - 1);
	json_number_member(out, "nrCells", profile->trie.cells.nr);
	json_number_member(out, "nrBefore", profile->nr_before);
	json_number_member(out, "normalized", profile->is_normalized);
	if (profile->changes)
		print_verdicts(out, profile, functions);
	print_slots(out, profile);
	print_process_list(out, profile);
	begin_list(out, "parts");
	for (uint32_t i = 0; i < profile->nr_parts; i++)
		print_part(out, &profile->parts[i]);
	end_list(out, ']');
	end_list(out, '}');
}

static void print_languages(struct textbuf *out, const struct page_functions *functions)
{
	begin_list(out, "languages");
	vec_for_each(&functions->languages, language) {
		json_string(out, string_set_get(&functions->strings, *language));
		textbuf_char(out, ',');
	}
	end_list(out, ']');
}

void page_print_facts(struct textbuf *out, const struct page_profile *profiles, size_t nr,
		      const struct page_functions *functions)
{
	textbuf_char(out, '{');
	print_languages(out, functions);
	begin_list(out, "profiles");
	for (size_t i = 0; i < nr; i++)
		print_profile(out, &profiles[i], functions);
	end_list(out, ']');
	end_list(out, '}');
	/* The outermost object is in no list. */
	if (out->nr)
		out->nr--;
}
