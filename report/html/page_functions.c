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
	index_deinit(&functions->index);
	textbuf_deinit(&functions->scratch);
}

static int find_function(struct page_functions *functions, const struct page_function *wanted,
			 uint32_t *id)
{
	const uint32_t key[] = {wanted->text, wanted->module, wanted->kind};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	int ret;

	index_for_each(&functions->index, hash, i) {
		const struct page_function *have = &functions->items.data[i];

		if (have->text == wanted->text && have->module == wanted->module &&
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

int page_functions_add(struct page_functions *functions, const char *text, const char *module,
		       enum page_kind kind, uint32_t *id)
{
	struct page_function wanted = {.kind = kind};
	int ret = string_set_add(&functions->strings, text, strlen(text), &wanted.text);

	if (!ret)
		ret = string_set_add(&functions->strings, module, strlen(module), &wanted.module);
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
	int cmp = strcmp(string_set_get(strings, x->function.text),
			 string_set_get(strings, y->function.text));

	if (!cmp)
		cmp = strcmp(string_set_get(strings, x->function.module),
			     string_set_get(strings, y->function.module));
	if (cmp)
		return cmp;
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
	size_t nr_comms = model->strings.items.nr;

	*known = (struct source_functions){
		.functions = functions,
		.labels = &source->labels,
		.frames = malloc((nr_frames + 1) * sizeof(*known->frames)),
		.comms = malloc((nr_comms + 1) * sizeof(*known->comms)),
	};
	if (!known->frames || !known->comms) {
		source_functions_deinit(known);
		return -ENOMEM;
	}
	memset(known->frames, 0xff, nr_frames * sizeof(*known->frames));
	memset(known->comms, 0xff, nr_comms * sizeof(*known->comms));
	return 0;
}

void source_functions_deinit(struct source_functions *known)
{
	free(known->frames);
	free(known->comms);
	*known = (struct source_functions){0};
}

static enum page_kind kind_of_frame(const struct source_functions *known, uint32_t frame,
				    const struct resolved *resolved, bool is_kernel)
{
	const struct model *model = known->labels->model;
	const struct model_object *object = &model->objects.data[model->frames.data[frame].object];
	uint8_t kind = object->key.kind;

	if (!resolved->name)
		return PAGE_UNNAMED;
	if (is_kernel)
		return PAGE_KERNEL;
	if (object->language && object->language_role == PROF_LANGUAGE_SOURCE)
		return PAGE_SCRIPT;
	return kind == PROF_OBJECT_JIT || kind == PROF_OBJECT_ANON ? PAGE_JIT : PAGE_USER;
}

/* Ends the text in the scratch buffer. Returns NULL if memory ran out. */
static const char *scratch_text(struct textbuf *scratch)
{
	textbuf_char(scratch, '\0');
	return scratch->error ? NULL : scratch->data;
}

static int make_function_of_frame(struct source_functions *known, uint32_t frame,
				  enum frame_place place, bool is_kernel, uint32_t *id)
{
	struct textbuf *scratch = &known->functions->scratch;
	const struct model *model = known->labels->model;
	const char *base = model_object_base(model, model->frames.data[frame].object);
	const struct resolved *resolved = symbols_frame(known->labels->symbols, frame, place);
	_cleanup_free_ char *module = text_escape(base, strlen(base), TEXT_PLAIN);
	const char *text;

	scratch->nr = 0;
	labels_frame(known->labels, scratch, frame, place);
	text = scratch_text(scratch);
	if (!text || !module)
		return -ENOMEM;
	return page_functions_add(known->functions, text, module,
				  kind_of_frame(known, frame, resolved, is_kernel), id);
}

int source_function_of_frame(struct source_functions *known, uint32_t frame, enum frame_place place,
			     bool is_kernel, uint32_t *id)
{
	uint32_t *have = &known->frames[((size_t)frame * NR_FRAME_PLACES + place) * 2 + is_kernel];
	int ret = 0;

	if (*have == NOT_KNOWN)
		ret = make_function_of_frame(known, frame, place, is_kernel, have);
	*id = *have;
	return ret;
}

int source_function_of_thread(struct source_functions *known, uint32_t comm, uint32_t *id)
{
	struct textbuf *scratch = &known->functions->scratch;
	const char *text;

	if (known->comms[comm] == NOT_KNOWN) {
		scratch->nr = 0;
		labels_string(known->labels, scratch, comm);
		text = scratch_text(scratch);
		if (!text || page_functions_add(known->functions, text, "", PAGE_THREAD,
						&known->comms[comm]))
			return -ENOMEM;
	}
	*id = known->comms[comm];
	return 0;
}
