// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/annotate/annotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "common/hash.h"
#include "common/search.h"
#include "common/words.h"
#include "report/symbols/questions.h"

/* Lines shown before and after a line with samples. */
#define CONTEXT 3

/* Returns the length of the name of a function without its arguments. */
static size_t bare_length(const char *name)
{
	const char *arguments = strchr(name, '(');

	return arguments > name ? (size_t)(arguments - name) : strlen(name);
}

static bool is_wanted(const struct annotation *a, const char *name)
{
	return !a->function || !strcmp(name, a->function) ||
	       (strlen(a->function) == bare_length(name) &&
		!strncmp(name, a->function, bare_length(name)));
}

static int find_function(struct annotation *a, uint32_t object, uint32_t name, uint32_t *id)
{
	const struct annotated_function function = {.object = object, .name = name};
	const uint32_t key[] = {object, name};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);

	index_for_each(&a->function_index, hash, i) {
		if (a->functions.data[i].object == object && a->functions.data[i].name == name) {
			*id = i;
			return 0;
		}
	}
	*id = a->functions.nr;
	return index_push(&a->function_index, &a->functions, hash, function);
}

static int find_place(struct annotation *a, const struct annotated_place *place, uint32_t *id)
{
	const uint64_t key[] = {place->function, place->file, place->at};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);

	index_for_each(&a->place_index, hash, i) {
		const struct annotated_place *have = &a->places.data[i];

		if (have->function == place->function && have->file == place->file &&
		    have->at == place->at) {
			*id = i;
			return 0;
		}
	}
	*id = a->places.nr;
	return index_push(&a->place_index, &a->places, hash, *place);
}

/* Adds the place of part @part of a frame to the parts, if the part is of the wanted function. */
static int add_part(struct annotation *a, uint32_t frame, enum frame_place at, uint32_t part,
		    bool *is_added)
{
	const struct model_frame *f = &a->from->rec->model.frames.data[frame];
	const struct resolved *resolved = symbols_frame(a->from->symbols, frame, at);
	uint32_t outer = labels_nr_parts(a->from->labels, frame, at) - 1 - part, name, id;
	const struct source_frame *line = symbols_line(a->from->symbols, resolved, outer);
	struct annotated_place place = {0};
	int ret;

	a->scratch.nr = 0;
	labels_part(a->from->labels, &a->scratch, frame, at, part);
	ret = a->scratch.error;
	if (!ret)
		ret = string_set_add(&a->names, a->scratch.data, a->scratch.nr, &name);
	*is_added = !ret && is_wanted(a, string_set_get(&a->names, name)) &&
		    !(a->by_instruction && outer);
	if (!*is_added)
		return ret;
	ret = find_function(a, f->object, name, &place.function);
	if (a->by_instruction) {
		place.at = f->offset - question_bytes_before(f, at);
	} else if (line && line->file && line->line) {
		place.file = line->file;
		place.at = line->line;
		if (!ret)
			a->functions.data[place.function].has_lines = true;
	}
	if (!ret)
		ret = find_place(a, &place, &id);
	return ret ? ret : vec_push(&a->parts, id);
}

/* Adds the places of the wanted function at a frame to the parts. */
static int add_parts(struct annotation *a, uint32_t frame, enum frame_place at)
{
	uint32_t nr = labels_nr_parts(a->from->labels, frame, at);
	size_t first = a->parts.nr;
	int ret = vec_push(&a->parts, 0);

	if (!ret)
		ret = vec_push(&a->parts, 0);
	for (uint32_t i = nr; i-- > 0 && !ret;) {
		bool is_added;

		ret = add_part(a, frame, at, i, &is_added);
		if (ret || !is_added)
			continue;
		a->parts.data[first]++;
		/* An instruction is of the code itself, whatever was inlined there. */
		a->parts.data[first + 1] = !i || a->by_instruction;
	}
	return ret;
}

static void count_row(struct annotation *a, struct place_count *count, uint64_t n, bool is_self)
{
	if (count->last_row != a->nr_rows)
		count->total += n;
	count->last_row = a->nr_rows;
	if (is_self)
		count->self += n;
}

static int add_frame(struct annotation *a, uint32_t frame, enum frame_place at, uint64_t n,
		     bool is_leaf)
{
	uint32_t *first = &a->first_parts[(size_t)frame * NR_FRAME_PLACES + at], nr;
	int ret;

	if (!*first) {
		*first = a->parts.nr;
		ret = add_parts(a, frame, at);
		if (ret)
			return ret;
	}
	nr = a->parts.data[*first];
	for (uint32_t i = 0; i < nr; i++) {
		struct annotated_place *place = &a->places.data[a->parts.data[*first + 2 + i]];
		bool is_self = is_leaf && i + 1 == nr && a->parts.data[*first + 1];

		count_row(a, &place->count, n, is_self);
		count_row(a, &a->functions.data[place->function].count, n, is_self);
	}
	return 0;
}

static int add_row(void *ctx, const struct stack_row *row)
{
	struct annotation *a = ctx;
	bool has_kernel = row->kernel.nr || row->kernel.is_missed;
	int ret = 0;

	a->nr_rows++;
	a->sum += row->count;
	for (uint32_t i = row->user.nr; i-- > 0 && !ret;)
		ret = add_frame(a, row->user.frames[i], i ? FRAME_CALLER : FRAME_LEAF, row->count,
				!i && !has_kernel);
	for (uint32_t i = row->kernel.nr; i-- > 0 && !ret;)
		ret = add_frame(a, row->kernel.frames[i], i ? FRAME_CALLER : FRAME_LEAF, row->count,
				!i);
	return ret;
}

static int compare_functions(const void *x, const void *y, void *ctx)
{
	const struct annotation *a = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct annotated_function *f = &a->functions.data[i], *g = &a->functions.data[k];

	COMPARE(g->count.total, f->count.total);
	COMPARE(i, k);
	return 0;
}

static int compare_places(const void *x, const void *y, void *ctx)
{
	const struct annotated_place *p = x, *q = y;
	const struct string_set *files = ctx;
	int cmp = 0;

	COMPARE(p->function, q->function);
	if (p->file != q->file)
		cmp = strcmp(string_set_get(files, p->file), string_set_get(files, q->file));
	if (cmp)
		return cmp;
	COMPARE(p->at, q->at);
	return 0;
}

static int sort_places(struct annotation *a)
{
	struct string_set files = a->from->symbols->lines.files;

	a->order = calloc(a->functions.nr + 1, sizeof(*a->order));
	if (!a->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->functions.nr; i++)
		a->order[i] = i;
	if (a->functions.nr)
		qsort_r(a->order, a->functions.nr, sizeof(*a->order), compare_functions, a);
	if (a->places.nr)
		qsort_r(a->places.data, a->places.nr, sizeof(*a->places.data), compare_places,
			&files);
	return 0;
}

int annotation_make(struct annotation *a, const struct printout *p, const char *function,
		    bool by_instruction, struct rows_summary *summary)
{
	size_t nr = p->rec->model.frames.nr * NR_FRAME_PLACES;
	int ret;

	*a = (struct annotation){
		.from = p,
		.function = function,
		.by_instruction = by_instruction,
		.scratch.fd = -1,
	};
	ret = string_set_init(&a->names);
	/* Parts 0 are none. */
	if (!ret)
		ret = vec_push(&a->parts, 0);
	a->first_parts = calloc(nr + 1, sizeof(*a->first_parts));
	if (!ret && !a->first_parts)
		ret = -ENOMEM;
	if (!ret)
		ret = rows_visit_all(&p->rec->model, p->view, add_row, a, summary);
	return ret ? ret : sort_places(a);
}

void annotation_deinit(struct annotation *a)
{
	string_set_deinit(&a->names);
	vec_free(&a->functions);
	vec_free(&a->places);
	index_deinit(&a->function_index);
	index_deinit(&a->place_index);
	free(a->order);
	free(a->first_parts);
	vec_free(&a->parts);
	textbuf_deinit(&a->scratch);
	*a = (struct annotation){0};
}

void annotation_places(const struct annotation *a, uint32_t function, size_t *begin, size_t *end)
{
	size_t i = search_first(a->places.nr, at, a->places.data[at].function >= function);

	*begin = i;
	while (i < a->places.nr && a->places.data[i].function == function)
		i++;
	*end = i;
}

size_t annotation_file_end(const struct annotation *a, size_t begin, size_t end)
{
	size_t i = begin;

	while (i < end && a->places.data[i].file == a->places.data[begin].file)
		i++;
	return i;
}

void annotation_visit_lines(const struct annotation *a, const struct source_text *text,
			    size_t begin, size_t end, annotated_line_fn visit, void *ctx)
{
	uint64_t next = 0; /* the line after the last one that was visited */

	for (size_t i = begin; i < end; i++) {
		const struct annotated_place *place = &a->places.data[i];
		uint64_t last = text->starts.nr, from = place->at, to = place->at;

		if (place->at && place->at <= last) {
			from = place->at > CONTEXT ? place->at - CONTEXT : 1;
			to = last - place->at > CONTEXT ? place->at + CONTEXT : last;
		}
		if (i + 1 < end && to >= a->places.data[i + 1].at)
			to = a->places.data[i + 1].at - 1;
		for (uint64_t line = from > next ? from : next; line <= to; line++)
			visit(ctx, line, line == place->at ? &place->count : NULL);
		next = to + 1;
	}
}

const char *annotation_suggest(const struct annotation *a, size_t *len)
{
	const char *best = NULL, *part = NULL;
	struct suggestion suggestion;

	suggestion_init(&suggestion, a->function);
	for (size_t i = 1; i < a->names.items.nr; i++) {
		const char *name = string_set_get(&a->names, i);

		suggestion_try(&suggestion, name);
		if (strstr(name, a->function) && (!part || strlen(name) < strlen(part)))
			part = name;
	}
	best = suggestion.best ? suggestion.best : part;
	*len = best ? bare_length(best) : 0;
	return best;
}
