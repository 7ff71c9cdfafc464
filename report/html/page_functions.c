// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"

/* No function has this number. */
#define NOT_KNOWN UINT32_MAX

int page_functions_init(struct page_functions *functions)
{
	*functions = (struct page_functions){.scratch = {.fd = -1}};
	return string_set_init(&functions->strings);
}

void page_functions_deinit(struct page_functions *functions)
{
	string_set_deinit(&functions->strings);
	vec_free(&functions->items);
	vec_free(&functions->languages);
	index_deinit(&functions->index);
	textbuf_deinit(&functions->scratch);
}

/* Takes the text in the scratch buffer as a string. */
static int take_scratch(struct page_functions *functions, uint32_t *id)
{
	struct textbuf *scratch = &functions->scratch;
	int ret = scratch->error;

	if (!ret && functions->strings.arena.total + scratch->nr > PAGE_NAMES_MAX)
		ret = -E2BIG;
	if (!ret)
		ret = string_set_add(&functions->strings, scratch->nr ? scratch->data : "",
				     scratch->nr, id);
	scratch->nr = 0;
	return ret;
}

static int find_function(struct page_functions *functions, const struct page_function *wanted,
			 uint32_t *id)
{
	const uint32_t key[] = {wanted->text, wanted->module, wanted->path, wanted->line,
				wanted->kind};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	int ret;

	index_for_each(&functions->index, hash, i) {
		const struct page_function *have = &functions->items.data[i];

		if (have->text == wanted->text && have->module == wanted->module &&
		    have->path == wanted->path && have->line == wanted->line &&
		    have->kind == wanted->kind) {
			*id = i;
			return 0;
		}
	}
	ret = index_push(&functions->index, &functions->items, hash, *wanted);
	if (!ret)
		*id = functions->items.nr - 1;
	return ret;
}

int page_functions_add(struct page_functions *functions, const char *text, enum page_kind kind,
		       uint32_t *id)
{
	struct page_function wanted = {.kind = kind};
	int ret;

	textbuf_str(&functions->scratch, text);
	ret = take_scratch(functions, &wanted.text);
	return ret ? ret : find_function(functions, &wanted, id);
}

/* A function with its number before the sort. */
struct sorted_function {
	struct page_function function;
	uint32_t id;
};

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct sorted_function *x = a, *y = b;
	const struct string_set *strings = ctx;
	const uint32_t keys[][2] = {{x->function.text, y->function.text},
				    {x->function.module, y->function.module},
				    {x->function.path, y->function.path}};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		int cmp = strcmp(string_set_get(strings, keys[i][0]),
				 string_set_get(strings, keys[i][1]));

		if (cmp)
			return cmp;
	}
	COMPARE(x->function.line, y->function.line);
	COMPARE(x->function.kind, y->function.kind);
	return 0;
}

int page_functions_sort(struct page_functions *functions, uint32_t **new_ids)
{
	size_t nr = functions->items.nr;
	_cleanup_free_ struct sorted_function *sorted = calloc(nr + 1, sizeof(*sorted));
	_cleanup_free_ uint32_t *ids = calloc(nr + 1, sizeof(*ids));

	if (!sorted || !ids)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		sorted[i] = (struct sorted_function){functions->items.data[i], i};
	qsort_r(sorted, nr, sizeof(*sorted), compare_functions, &functions->strings);
	for (size_t i = 0; i < nr; i++) {
		functions->items.data[i] = sorted[i].function;
		ids[sorted[i].id] = i;
	}
	/* The index has the old places. */
	index_deinit(&functions->index);
	*new_ids = TAKE_PTR(ids);
	return 0;
}

int source_functions_init(struct source_functions *known, struct page_functions *functions,
			  struct source *source)
{
	const struct model *model = &source->rec.model;
	size_t nr_frames = model->frames.nr * NR_FRAME_PLACES * 2;

	*known = (struct source_functions){
		.functions = functions,
		.labels = &source->labels,
		.frames = malloc((nr_frames + 1) * sizeof(*known->frames)),
	};
	if (!known->frames)
		return -ENOMEM;
	memset(known->frames, 0xff, nr_frames * sizeof(*known->frames));
	return 0;
}

void source_functions_deinit(struct source_functions *known)
{
	free(known->frames);
	vec_free(&known->parts);
	*known = (struct source_functions){0};
}

/* Finds or adds a language. Sets *@kind to that of its functions. */
static int find_language(struct source_functions *known, uint32_t language, uint8_t *kind)
{
	struct page_functions *functions = known->functions;
	uint32_t id, i = 0;
	int ret;

	labels_string(known->labels, &functions->scratch, language);
	ret = take_scratch(functions, &id);
	if (ret)
		return ret;
	while (i < functions->languages.nr && functions->languages.data[i] != id)
		i++;
	if (i == PAGE_LANGUAGES_MAX)
		i--;
	else if (i == functions->languages.nr)
		ret = vec_push(&functions->languages, id);
	*kind = PAGE_LANGUAGE + i;
	return ret;
}

static int find_kind(struct source_functions *known, uint32_t frame,
		     const struct resolved *resolved, const struct source_frame *line,
		     bool is_kernel, uint8_t *kind)
{
	const struct model *model = known->labels->model;
	const struct model_object *object = &model->objects.data[model->frames.data[frame].object];
	uint8_t object_kind = object->key.kind;

	if (!resolved_name(resolved, line))
		*kind = PAGE_UNNAMED;
	else if (is_kernel)
		*kind = PAGE_KERNEL;
	else if (model_frame_is_source(model, frame))
		return find_language(known, object->language, kind);
	else if (line && line->is_inlined)
		*kind = PAGE_INLINED;
	else if (object_kind == PROF_OBJECT_JIT || object_kind == PROF_OBJECT_ANON)
		*kind = PAGE_JIT;
	else
		*kind = PAGE_USER;
	return 0;
}

/*
 * Finds the place of a part of a frame in the source. Functions of languages have that of their
 * definition.
 */
static int find_place(const struct source_functions *known, uint32_t frame,
		      const struct source_frame *line, struct page_function *function)
{
	const struct labels *labels = known->labels;
	const struct model *model = labels->model;
	const struct model_frame *f = &model->frames.data[frame];
	const struct string *path = NULL;

	if (model_frame_is_source(model, frame)) {
		path = model_object_path(model, f->object);
		function->line = PROF_SOURCE_LINE(f->offset);
	} else if (labels->view->lines && line) {
		path = &labels->symbols->lines.files.items.data[line->file];
		function->line = line->line;
	}
	if (path)
		textbuf_escaped(&known->functions->scratch, path->s, path->len, TEXT_PLAIN);
	return take_scratch(known->functions, &function->path);
}

static int add_part(struct source_functions *known, uint32_t frame, enum frame_place place,
		    bool is_kernel, uint32_t part)
{
	struct page_functions *functions = known->functions;
	struct labels *labels = known->labels;
	const char *base =
		model_object_base(labels->model, labels->model->frames.data[frame].object);
	const struct resolved *resolved = symbols_frame(labels->symbols, frame, place);
	uint32_t outer = labels_nr_parts(labels, frame, place) - 1 - part;
	const struct source_frame *line = symbols_line(labels->symbols, resolved, outer);
	struct page_function wanted = {0};
	uint32_t id;
	int ret = find_kind(known, frame, resolved, line, is_kernel, &wanted.kind);

	labels_part(labels, &functions->scratch, frame, place, part);
	if (!ret)
		ret = take_scratch(functions, &wanted.text);
	textbuf_escaped(&functions->scratch, base, strlen(base), TEXT_PLAIN);
	if (!ret)
		ret = take_scratch(functions, &wanted.module);
	if (!ret)
		ret = find_place(known, frame, line, &wanted);
	if (!ret)
		ret = find_function(functions, &wanted, &id);
	return ret ? ret : vec_push(&known->parts, id);
}

int source_functions_of_frame(struct source_functions *known, uint32_t frame,
			      enum frame_place place, bool is_kernel, const uint32_t **parts)
{
	uint32_t *first = &known->frames[((size_t)frame * NR_FRAME_PLACES + place) * 2 + is_kernel];
	int ret = 0;

	if (*first == NOT_KNOWN) {
		uint32_t nr = labels_nr_parts(known->labels, frame, place);

		*first = known->parts.nr;
		for (uint32_t part = 0; part < nr && !ret; part++)
			ret = add_part(known, frame, place, is_kernel, part);
	}
	*parts = known->parts.data + *first;
	return ret;
}

int source_function_of_thread(struct source_functions *known, uint32_t comm, uint32_t tid,
			      uint32_t *id)
{
	struct page_function wanted = {.kind = PAGE_THREAD};
	int ret;

	labels_thread(known->labels, &known->functions->scratch, comm, tid);
	ret = take_scratch(known->functions, &wanted.text);
	return ret ? ret : find_function(known->functions, &wanted, id);
}
