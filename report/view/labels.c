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

/* Makes @label: @before, the @len escaped bytes at @s, @after. */
static bool make_label(struct labels *labels, struct label *label, const char *before,
		       const char *s, size_t len, const char *after)
{
	_cleanup_free_ char *escaped = text_escape(s, len, labels->mode);
	size_t size;
	char *text;

	if (!escaped)
		return false;
	size = strlen(before) + strlen(escaped) + strlen(after);
	text = arena_alloc(&labels->arena, size + 1);
	if (!text)
		return false;
	stpcpy(stpcpy(stpcpy(text, before), escaped), after);
	*label = (struct label){.s = text, .len = size};
	return true;
}

/*
 * Makes the label of a module: the last component of its path, in brackets. Names that have
 * brackets already ("[kernel]", "[vdso]") get no others.
 */
static bool make_module(struct labels *labels, struct label *label, uint32_t object)
{
	const char *path = string_set_get(&labels->model->strings,
					  labels->model->objects.data[object].key.path);
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (!base[0])
		return make_label(labels, label, "", "", 0, "");
	if (base[0] == '[')
		return make_label(labels, label, " ", base, strlen(base), "");
	return make_label(labels, label, " [", base, strlen(base), "]");
}

static const struct label *cached_label(struct labels *labels, struct label *label,
					const struct string *string)
{
	return label->s || make_label(labels, label, "", string->s, string->len, "") ? label : NULL;
}

/* Returns the escaped name or "[unknown]", NULL if memory runs out. */
static const struct label *frame_name(struct labels *labels, const struct resolved *resolved)
{
	static const struct label unknown = {.s = "[unknown]", .len = sizeof("[unknown]") - 1};

	if (!resolved->name)
		return &unknown;
	return cached_label(labels, &labels->names[resolved->name],
			    &labels->symbols->names.items.data[resolved->name]);
}

void labels_frame(struct labels *labels, struct textbuf *out, uint32_t frame,
		  enum frame_place place)
{
	const struct resolved *resolved = symbols_frame(labels->symbols, frame, place);
	uint32_t object = labels->model->frames.data[frame].object;
	const struct label *name = frame_name(labels, resolved);
	struct label *module = &labels->modules[object];

	if (!name ||
	    (labels->view->modules && !module->s && !make_module(labels, module, object))) {
		textbuf_fail(out, -ENOMEM);
		return;
	}
	textbuf_bytes(out, name->s, name->len);
	if (labels->view->offsets && resolved->name)
		textbuf_printf(out, "+0x%" PRIx64, resolved->off);
	if (module->s)
		textbuf_bytes(out, module->s, module->len);
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
