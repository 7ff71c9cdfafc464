// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/named_things.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

int named_things_init(struct named_things *things, const struct printout *from)
{
	size_t nr = from->rec->model.frames.nr * NR_FRAME_PLACES * 2;
	int ret;

	*things = (struct named_things){.from = from, .scratch.fd = -1};
	ret = string_set_init(&things->names);
	if (!ret)
		ret = vec_push(&things->colours, COLOUR_NONE);
	/* Part 0 is none. */
	if (!ret)
		ret = vec_push(&things->parts, 0);
	things->first_parts = calloc(nr + 1, sizeof(*things->first_parts));
	if (!ret && things->first_parts)
		return 0;
	named_things_deinit(things);
	return -ENOMEM;
}

void named_things_deinit(struct named_things *things)
{
	string_set_deinit(&things->names);
	vec_free(&things->colours);
	vec_free(&things->parts);
	vec_free(&things->row);
	textbuf_deinit(&things->scratch);
	free(things->first_parts);
	*things = (struct named_things){0};
}

int named_things_add(struct named_things *things, const char *module, enum text_colour colour,
		     uint32_t *id)
{
	struct textbuf *name = &things->scratch;
	int ret;

	textbuf_char(name, '\0');
	textbuf_str(name, module);
	ret = name->error;
	if (!ret)
		ret = string_set_add(&things->names, name->data, name->nr, id);
	if (!ret && things->colours.nr < things->names.items.nr)
		ret = vec_push(&things->colours, colour);
	name->nr = 0;
	return ret;
}

const char *named_thing_shown_module(const struct named_things *things, uint32_t id)
{
	const char *name = named_thing_name(things, id), *module = named_thing_module(things, id);
	size_t len = strlen(module);
	bool is_in_name = things->colours.data[id] == COLOUR_SCRIPT &&
			  !strncmp(name, module, len) && (name[len] == '.' || name[len] == ':');

	return is_in_name ? "" : module;
}

int named_things_compare(const struct named_things *things, uint32_t a, uint32_t b)
{
	int cmp = strcmp(named_thing_name(things, a), named_thing_name(things, b));

	return cmp ? cmp : strcmp(named_thing_module(things, a), named_thing_module(things, b));
}

static enum text_colour colour_of(const struct named_things *things, uint32_t frame,
				  enum frame_place place, bool is_inlined, bool is_kernel)
{
	const struct model *model = &things->from->rec->model;
	uint8_t kind = model->objects.data[model->frames.data[frame].object].key.kind;

	if (!is_inlined && !symbols_frame(things->from->symbols, frame, place)->name)
		return COLOUR_UNNAMED;
	if (is_kernel)
		return COLOUR_KERNEL;
	if (model_frame_is_source(model, frame))
		return COLOUR_SCRIPT;
	if (is_inlined)
		return COLOUR_INLINED;
	return kind == PROF_OBJECT_JIT || kind == PROF_OBJECT_ANON ? COLOUR_JIT : COLOUR_USER;
}

const char *named_things_dso(const struct named_things *things, uint32_t frame)
{
	const struct model *model = &things->from->rec->model;
	uint32_t object = model->frames.data[frame].object;

	return things->from->view->full_paths ? model_object_path(model, object)->s
					      : model_object_base(model, object);
}

/* Adds the functions at a frame to the parts, the outermost first. */
static int add_parts(struct named_things *things, uint32_t frame, enum frame_place place,
		     bool is_kernel)
{
	const char *dso = named_things_dso(things, frame);
	_cleanup_free_ char *module = text_escape(dso, strlen(dso), TEXT_PLAIN);
	uint32_t nr = labels_nr_parts(things->from->labels, frame, place), id;
	int ret = module ? vec_push(&things->parts, nr) : -ENOMEM;

	for (uint32_t i = nr; i-- > 0 && !ret;) {
		labels_part(things->from->labels, &things->scratch, frame, place, i);
		ret = named_things_add(things, module,
				       colour_of(things, frame, place, i + 1 < nr, is_kernel), &id);
		if (!ret)
			ret = vec_push(&things->parts, id);
	}
	return ret;
}

static int add_frame(struct named_things *things, uint32_t frame, enum frame_place place,
		     bool is_kernel)
{
	uint32_t *first =
		&things->first_parts[((size_t)frame * NR_FRAME_PLACES + place) * 2 + is_kernel];
	const uint32_t *parts;
	int ret = 0;

	if (!*first) {
		*first = things->parts.nr;
		ret = add_parts(things, frame, place, is_kernel);
	}
	if (ret)
		return ret;
	parts = &things->parts.data[*first];
	return vec_append(&things->row, parts + 1, *parts);
}

/* Adds a text that stands for no function. */
static int add_mark(struct named_things *things, const char *text)
{
	uint32_t id;
	int ret;

	textbuf_str(&things->scratch, text);
	ret = named_things_add(things, "", COLOUR_NONE, &id);
	return ret ? ret : vec_push(&things->row, id);
}

static int add_side(struct named_things *things, const struct row_side *side, bool is_kernel)
{
	int ret = 0;

	if (side->is_missed)
		ret = add_mark(things, is_kernel ? "[Missed Kernel Stack]" : "[Missed User Stack]");
	for (uint32_t i = side->nr; i-- > 0 && !ret;)
		ret = add_frame(things, side->frames[i], i ? FRAME_CALLER : FRAME_LEAF, is_kernel);
	return ret;
}

int named_things_of_row(struct named_things *things, const struct stack_row *row)
{
	int ret;

	vec_clear(&things->row);
	ret = add_side(things, &row->user, false);
	if (!ret)
		ret = add_side(things, &row->kernel, true);
	if (!ret && !things->row.nr)
		ret = add_mark(things, "[no stack]");
	return ret;
}
