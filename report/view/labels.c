// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/labels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

int labels_init(struct labels *labels, const struct model *model, const struct symbols *symbols,
		const struct view *view)
{
	*labels = (struct labels){
		.model = model,
		.symbols = symbols,
		.view = view,
		.mode = view->folded ? TEXT_FOLDED : TEXT_PLAIN,
		.names = calloc(symbols->names.items.nr, sizeof(*labels->names)),
		.strings = calloc(model->strings.items.nr, sizeof(*labels->strings)),
		.modules = calloc(model->objects.nr, sizeof(*labels->modules)),
	};
	if (labels->names && labels->strings && labels->modules)
		return 0;
	labels_deinit(labels);
	return -ENOMEM;
}

void labels_deinit(struct labels *labels)
{
	free(labels->names);
	free(labels->strings);
	free(labels->modules);
	arena_deinit(&labels->arena);
	*labels = (struct labels){0};
}

/* Makes @label of the @len bytes at @s, escaped. */
static bool make_label(struct labels *labels, struct label *label, const char *s, size_t len)
{
	_cleanup_free_ char *escaped = text_escape(s, len, labels->mode);
	size_t size;
	char *text;

	if (!escaped)
		return false;
	size = strlen(escaped);
	text = arena_copy(&labels->arena, escaped, size);
	if (!text)
		return false;
	*label = (struct label){.s = text, .len = size};
	return true;
}

/* Returns the name of a module: the last component of its path. Returns NULL if memory runs out. */
static const struct label *module_label(struct labels *labels, uint32_t object)
{
	struct label *label = &labels->modules[object];
	const char *base = model_object_base(labels->model, object);

	return label->s || make_label(labels, label, base, strlen(base)) ? label : NULL;
}

static const struct label *cached_label(struct labels *labels, struct label *label,
					const struct string *string)
{
	return label->s || make_label(labels, label, string->s, string->len) ? label : NULL;
}

/*
 * Prints a module in brackets. Names that have brackets already ("[kernel]", "[vdso]") get no
 * others.
 */
static void print_module(struct textbuf *out, const struct label *module)
{
	bool has_brackets = module->s[0] == '[';

	if (!has_brackets)
		textbuf_char(out, '[');
	textbuf_bytes(out, module->s, module->len);
	if (!has_brackets)
		textbuf_char(out, ']');
}

/* Prints the text for a frame without a name. Returns true if it tells the function. */
static bool print_unnamed(const struct labels *labels, struct textbuf *out,
			  const struct label *module, uint64_t off, const struct resolved *resolved)
{
	enum unnamed unnamed = view_unnamed(labels->view);

	if (unnamed == UNNAMED_FUNCTION && resolved->is_bounded && module->len) {
		textbuf_char(out, '[');
		textbuf_bytes(out, module->s, module->len);
		textbuf_printf(out, "+0x%" PRIx64 "]", off - resolved->off);
		return true;
	}
	if (unnamed == UNNAMED_MODULE && module->len)
		print_module(out, module);
	else
		textbuf_str(out, "[unknown]");
	return false;
}

/* Prints the line in which a function of a language is defined, if it is known. */
static void print_definition(const struct labels *labels, struct textbuf *out,
			     const struct model_frame *f)
{
	uint32_t line = PROF_SOURCE_LINE(f->offset);

	if (labels->view->offsets && line)
		textbuf_printf(out, ":%" PRIu32, line);
}

void labels_frame(struct labels *labels, struct textbuf *out, uint32_t frame,
		  enum frame_place place)
{
	const struct resolved *resolved = symbols_frame(labels->symbols, frame, place);
	const struct model_frame *f = &labels->model->frames.data[frame];
	const struct label *module = module_label(labels, f->object);
	bool has_function = resolved->name;
	const struct label *name = NULL;

	if (resolved->name)
		name = cached_label(labels, &labels->names[resolved->name],
				    &labels->symbols->names.items.data[resolved->name]);
	if (!module || (resolved->name && !name)) {
		textbuf_fail(out, -ENOMEM);
		return;
	}
	if (name)
		textbuf_bytes(out, name->s, name->len);
	else
		has_function = print_unnamed(labels, out, module, f->offset, resolved);
	if (model_frame_is_source(labels->model, frame))
		print_definition(labels, out, f);
	else if (labels->view->offsets && has_function)
		textbuf_printf(out, "+0x%" PRIx64, resolved->off);
	if (labels->view->modules && module->len) {
		textbuf_char(out, ' ');
		print_module(out, module);
	}
	if (labels->view->annotations && model_frame_is_source(labels->model, frame)) {
		textbuf_str(out, "_[");
		labels_string(labels, out, labels->model->objects.data[f->object].language);
		textbuf_char(out, ']');
	}
}

void labels_string(struct labels *labels, struct textbuf *out, uint32_t id)
{
	const struct label *label =
		cached_label(labels, &labels->strings[id], &labels->model->strings.items.data[id]);

	if (label)
		textbuf_bytes(out, label->s, label->len);
	else
		textbuf_fail(out, -ENOMEM);
}
