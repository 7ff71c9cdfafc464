// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/compare.h"
#include "report/html/packed_text.h"
#include "report/html/page_columns.h"
#include "report/html/page_profile.h"
#include "report/html/page_text.h"
#include "report/model/process_name.h"
#include "report/model/shown_frames.h"
#include "report/text/json_text.h"
#include "report/text/json_writer.h"
#include "report/view/filter_words.h"
#include "report/view/shown_languages.h"

/*
 * The functions with the largest counts, as a table of HTML for readers without a script: mail
 * programs, and servers that forbid scripts. Here alone names are in the markup, so they are
 * escaped and short.
 */

#define TOP_ROWS 30

/* Bytes of a name in the table. */
#define NAME_BYTES_MAX 200

struct function_sum {
	uint64_t self, total;
	uint32_t function;
	uint32_t on_path; /* frames of the function in the stack that is being visited */
};

struct sums {
	const struct page_profile *profile;
	struct function_sum *functions;
	/* by branch of the path from the root to the one that is being visited */
	uint64_t *counts; /* of the branch and of all below it, up to now */
	uint32_t *path;
};

/* Prints text in the markup: at most NAME_BYTES_MAX bytes, in whole characters. */
static void print_markup(struct textbuf *out, const char *text)
{
	size_t len = strlen(text);
	bool is_cut = len > NAME_BYTES_MAX;

	if (is_cut)
		len = NAME_BYTES_MAX;
	while (is_cut && len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	for (size_t i = 0; i < len; i++) {
		if (strchr("&<>\"'", text[i]))
			textbuf_printf(out, "&#%d;", text[i]);
		else
			textbuf_char(out, text[i]);
	}
	if (is_cut)
		textbuf_str(out, "...");
}

/* A function counts once for a stack, however often it is in it. */
static void leave_branch(struct sums *sums, uint32_t level)
{
	const struct stack_trie *trie = &sums->profile->trie;
	const struct trie_branch *branch = &trie->branches.data[sums->path[level]];

	for (uint32_t i = 0; i < branch->nr; i++) {
		struct function_sum *sum =
			&sums->functions[trie->functions.data[branch->first + i]];

		if (!--sum->on_path)
			sum->total += sums->counts[level];
	}
	sums->counts[level - 1] += sums->counts[level];
}

/* Returns the count of a branch's own cells in @part. */
static uint64_t count_cells(const struct stack_trie *trie, const struct profile_part *part,
			    uint32_t branch)
{
	size_t first = trie->branches.data[branch].next;
	uint64_t count = 0;

	for (size_t i = first; i && i <= trie->cells.nr; i++) {
		const struct trie_cell *cell = &trie->cells.data[i - 1];

		if (cell->branch != branch)
			break;
		if (cell->slot - part->first_slot < part->nr_slots)
			count += cell->count;
	}
	return count;
}

static void enter_branch(struct sums *sums, const struct profile_part *part, uint32_t level)
{
	const struct stack_trie *trie = &sums->profile->trie;
	const struct trie_branch *branch = &trie->branches.data[sums->path[level]];
	const uint32_t *functions = trie->functions.data + branch->first;

	sums->counts[level] = count_cells(trie, part, sums->path[level]);
	for (uint32_t i = 0; i < branch->nr; i++)
		sums->functions[functions[i]].on_path++;
	sums->functions[functions[branch->nr - 1]].self += sums->counts[level];
}

static void sum_functions(struct sums *sums, const struct profile_part *part)
{
	const struct trie_branch *branches = sums->profile->trie.branches.data;
	uint32_t level = 0;

	for (size_t i = 0; i + 1 < sums->profile->trie.branches.nr; i++) {
		uint32_t branch = sums->profile->order[i].branch;

		for (; level && sums->path[level] != branches[branch].parent; level--)
			leave_branch(sums, level);
		sums->path[++level] = branch;
		enter_branch(sums, part, level);
	}
	for (; level; level--)
		leave_branch(sums, level);
}

static int by_self(const void *a, const void *b)
{
	const struct function_sum *x = a, *y = b;

	COMPARE(y->self, x->self);
	COMPARE(y->total, x->total);
	COMPARE(x->function, y->function);
	return 0;
}

static void print_rows(struct textbuf *out, const struct sums *sums,
		       const struct page_functions *functions, uint64_t whole)
{
	textbuf_str(out, "<tr><th>self<th>total<th>function\n");
	for (size_t i = 0; i < functions->items.nr && i < TOP_ROWS; i++) {
		const struct function_sum *sum = &sums->functions[i];
		const struct page_function *function = &functions->items.data[sum->function];

		if (!sum->total)
			break;
		textbuf_printf(out, "<tr><td>%.2f %%<td>%.2f %%<td>", 100.0 * sum->self / whole,
			       100.0 * sum->total / whole);
		print_markup(out, string_set_get(&functions->strings, function->text));
		textbuf_char(out, '\n');
	}
}

static void print_part(struct textbuf *out, struct sums *sums,
		       const struct page_functions *functions, const struct profile_part *part)
{
	uint8_t unit = event_unit_number(part->source->rec.meta, part->event);
	size_t nr = functions->items.nr;
	char total[AMOUNT_SIZE];

	for (size_t i = 0; i < nr; i++)
		sums->functions[i] = (struct function_sum){.function = i};
	sum_functions(sums, part);
	qsort(sums->functions, nr, sizeof(*sums->functions), by_self);
	textbuf_str(out, "<table>\n<caption>");
	print_markup(out, part->source->rec.name);
	textbuf_printf(out, ": %s", amount_text(part->total, unit, AMOUNT_AUTO, total));
	if (!amount_has_unit(unit, AMOUNT_AUTO))
		textbuf_printf(out, " %s", event_unit(part->source->rec.meta, part->event));
	textbuf_str(out, "</caption>\n");
	if (part->total)
		print_rows(out, sums, functions, part->total);
	textbuf_str(out, "</table>\n");
}

/* Appends the tables of each part of @profile, which is sorted. Returns 0 or -ENOMEM. */
static int top_table_print(struct textbuf *out, const struct page_profile *profile,
			   const struct page_functions *functions)
{
	size_t nr = profile->trie.branches.nr;
	_cleanup_free_ uint64_t *counts = calloc(nr + 1, sizeof(*counts));
	_cleanup_free_ uint32_t *path = calloc(nr + 1, sizeof(*path));
	_cleanup_free_ struct function_sum *sums_of =
		calloc(functions->items.nr + 1, sizeof(*sums_of));
	struct sums sums = {profile, sums_of, counts, path};

	if (!counts || !path || !sums_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->nr_parts; i++)
		print_part(out, &sums, functions, &profile->parts[i]);
	return 0;
}

/* The facts that a page shows about its recordings, as JSON. Times are milliseconds. */

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

static void put_facts_of(struct json *json, const struct profile_part *part)
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
		put_facts_of(json, &profile->parts[i]);
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

/*
 * Appends an object that describes @nr profiles, and the languages of @functions. Errors are noted
 * in @out.
 */
static void page_print_facts(struct textbuf *out, const struct page_profile *profiles, size_t nr,
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

static int make_profiles(struct page_profile *profiles, size_t nr, struct page_functions *functions)
{
	_cleanup_free_ uint32_t *new_ids = NULL;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		ret = page_profile_make(&profiles[i], functions);
		if (!ret)
			ret = page_sources_make(&profiles[i].sources, profiles[i].parts[0].source);
	}
	/* The trees have all stacks now, and take as much memory themselves. */
	for (size_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < profiles[i].nr_parts; k++)
			model_forget_rows(&profiles[i].parts[k].source->rec.model);
	if (!ret)
		ret = page_functions_sort(functions, &new_ids);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = page_profile_sort(&profiles[i], new_ids);
	return ret;
}

/* Makes the bytes that the viewer unpacks. */
static int print_data(struct textbuf *data, const struct page_profile *profiles, size_t nr,
		      const struct page_functions *functions)
{
	struct textbuf facts = {.fd = -1};
	int ret;

	page_print_facts(&facts, profiles, nr, functions);
	page_print_section(data, &facts);
	textbuf_deinit(&facts);
	ret = page_print_functions(data, functions);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = page_print_profile(data, &profiles[i], functions);
	return ret;
}

static int print_parts(struct textbuf *out, const struct page_profile *profiles, size_t nr,
		       const struct page_functions *functions)
{
	struct textbuf data = {.fd = -1};
	int ret = 0;

	textbuf_bytes(out, page_begin, sizeof(page_begin));
	for (size_t i = 0; i < nr && !ret; i++)
		ret = top_table_print(out, &profiles[i], functions);
	textbuf_bytes(out, page_middle, sizeof(page_middle));
	if (!ret)
		ret = print_data(&data, profiles, nr, functions);
	if (!ret)
		ret = packed_text_print(out, data.data, data.nr);
	textbuf_deinit(&data);
	textbuf_bytes(out, page_end, sizeof(page_end));
	return ret;
}

void page_choose_names(struct view *view)
{
	if (view->unnamed == UNNAMED_BY_LAYOUT)
		view->unnamed = UNNAMED_FUNCTION;
	if (view->demangle == DEMANGLE_BY_LAYOUT)
		view->demangle = DEMANGLE_SHORT;
}

int page_print(struct textbuf *out, struct page_profile *profiles, size_t nr)
{
	struct page_functions functions;
	int ret = page_functions_init(&functions);

	if (!ret)
		ret = make_profiles(profiles, nr, &functions);
	if (!ret)
		ret = print_parts(out, profiles, nr, &functions);
	page_functions_deinit(&functions);
	return ret;
}
