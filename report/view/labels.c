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
		.mode = view->is_data  ? TEXT_DATA
			: view->folded ? TEXT_FOLDED
				       : TEXT_PLAIN,
		.names = calloc(symbols->names.items.nr, sizeof(*labels->names)),
		.strings = calloc(model->strings.items.nr, sizeof(*labels->strings)),
		.modules = calloc(model->objects.nr, sizeof(*labels->modules)),
		.files = calloc(symbols->lines.files.items.nr + 1, sizeof(*labels->files)),
	};
	if (labels->names && labels->strings && labels->modules && labels->files)
		return 0;
	labels_deinit(labels);
	return -ENOMEM;
}

void labels_deinit(struct labels *labels)
{
	free(labels->names);
	free(labels->strings);
	free(labels->modules);
	free(labels->files);
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
	const char *base;

	if (label->s)
		return label;
	base = model_object_base(labels->model, object);
	return make_label(labels, label, base, strlen(base)) ? label : NULL;
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

/* Returns the last two parts of @path. */
static struct string shorten_path(const struct string *path)
{
	uint32_t start = path->len, nr = 0;

	while (start && (path->s[start - 1] != '/' || ++nr < 2))
		start--;
	return (struct string){path->s + start, path->len - start};
}

/* Prints the line of a part of a frame, if the debug information knows the file. */
static void print_line(struct labels *labels, struct textbuf *out, const struct source_frame *line)
{
	const struct string *path = &labels->symbols->lines.files.items.data[line->file];
	struct string shown = labels->view->full_paths ? *path : shorten_path(path);
	const struct label *label;

	if (!path->len)
		return;
	label = cached_label(labels, &labels->files[line->file], &shown);
	if (!label) {
		textbuf_fail(out, -ENOMEM);
		return;
	}
	textbuf_char(out, ' ');
	textbuf_bytes(out, label->s, label->len);
	textbuf_char(out, ':');
	if (line->line)
		textbuf_u64(out, line->line);
	else
		textbuf_char(out, '?');
}

/* Prints the mark of a frame that is not plain code. The caller marks frames of the kernel. */
static void print_mark(struct labels *labels, struct textbuf *out, uint32_t frame, bool is_inlined)
{
	const struct model_frame *f = &labels->model->frames.data[frame];
	const struct model_object *object = &labels->model->objects.data[f->object];

	if (model_frame_is_source(labels->model, frame)) {
		textbuf_str(out, "_[");
		labels_string(labels, out, object->language);
		textbuf_char(out, ']');
	} else if (object->key.kind == PROF_OBJECT_JIT) {
		textbuf_str(out, "_[j]");
	} else if (is_inlined && !object_kind_is_kernel(object->key.kind)) {
		textbuf_str(out, "_[i]");
	}
}

/* Prints the name of a function, or the text for a frame without a name, and the offset in it. */
static void print_function(struct labels *labels, struct textbuf *out, uint32_t frame,
			   const struct resolved *resolved, const struct source_frame *line)
{
	const struct model_frame *f = &labels->model->frames.data[frame];
	uint32_t id = resolved_name(resolved, line);
	/* An inlined function has no start to count from. */
	bool has_function = resolved->name && !(line && line->is_inlined);
	const struct label *name =
		cached_label(labels, &labels->names[id], &labels->symbols->names.items.data[id]);
	const struct label *module = module_label(labels, f->object);

	if (!name || !module) {
		textbuf_fail(out, -ENOMEM);
		return;
	}
	if (id)
		textbuf_bytes(out, name->s, name->len);
	else
		has_function = print_unnamed(labels, out, module, f->offset, resolved);
	if (model_frame_is_source(labels->model, frame))
		print_definition(labels, out, f);
	else if (labels->view->offsets && has_function)
		textbuf_printf(out, "+0x%" PRIx64, resolved->off);
}

uint32_t labels_nr_parts(const struct labels *labels, uint32_t frame, enum frame_place place)
{
	const struct resolved *resolved = symbols_frame(labels->symbols, frame, place);

	return labels->view->inlines && resolved->nr_lines ? resolved->nr_lines : 1;
}

void labels_part(struct labels *labels, struct textbuf *out, uint32_t frame, enum frame_place place,
		 uint32_t part)
{
	const struct resolved *resolved = symbols_frame(labels->symbols, frame, place);
	uint32_t outer = labels_nr_parts(labels, frame, place) - 1 - part;
	const struct source_frame *line = symbols_line(labels->symbols, resolved, outer);
	const struct label *module = module_label(labels, labels->model->frames.data[frame].object);

	if (!module) {
		textbuf_fail(out, -ENOMEM);
		return;
	}
	print_function(labels, out, frame, resolved, line);
	if (labels->view->lines && line)
		print_line(labels, out, line);
	if (labels->view->modules && module->len) {
		textbuf_char(out, ' ');
		print_module(out, module);
	}
	if (labels->view->annotations)
		print_mark(labels, out, frame, line && line->is_inlined);
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

void labels_thread(struct labels *labels, struct textbuf *out, uint32_t comm, uint32_t tid)
{
	labels_string(labels, out, comm);
	if (tid)
		textbuf_printf(out, "/%" PRIu32, tid);
}
