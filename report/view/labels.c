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
		.frames = calloc(model->frames.nr * NR_FRAME_PLACES + 1, sizeof(*labels->frames)),
		.names = calloc(symbols->names.items.nr, sizeof(*labels->names)),
		.strings = calloc(model->strings.items.nr, sizeof(*labels->strings)),
		.modules = calloc(model->objects.nr, sizeof(*labels->modules)),
	};
	if (labels->frames && labels->names && labels->strings && labels->modules)
		return 0;
	labels_deinit(labels);
	return -ENOMEM;
}

void labels_deinit(struct labels *labels)
{
	free(labels->frames);
	free(labels->names);
	free(labels->strings);
	free(labels->modules);
	arena_deinit(&labels->arena);
	*labels = (struct labels){0};
}

/* Makes @label from the @len bytes at @s between two fixed texts. */
static bool make(struct labels *labels, struct label *label, const char *before, const char *s,
		 size_t len, const char *after)
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
 * The last component of the path; names in brackets ("[kernel]", "[vdso]") keep theirs and get no
 * others.
 */
static bool make_module(struct labels *labels, struct label *label, uint32_t object)
{
	const char *path = string_set_get(&labels->model->strings,
					  labels->model->objects.data[object].key.path);
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (!base[0])
		return make(labels, label, "", "", 0, "");
	if (base[0] == '[')
		return make(labels, label, " ", base, strlen(base), "");
	return make(labels, label, " [", base, strlen(base), "]");
}

static const struct label *cached(struct labels *labels, struct label *label,
				  const struct string *string)
{
	return label->s || make(labels, label, "", string->s, string->len, "") ? label : NULL;
}

/* Puts a name, an offset and a module together. */
static bool compose(struct labels *labels, struct label *label, const struct label *name,
		    const struct resolved *resolved, uint32_t object)
{
	struct label *module = &labels->modules[object];
	char off[sizeof("+0x") + 16] = "";
	size_t size;
	char *text;

	if (labels->view->modules && !module->s && !make_module(labels, module, object))
		return false;
	if (labels->view->offsets && resolved->name)
		snprintf(off, sizeof(off), "+0x%" PRIx64, resolved->off);
	size = name->len + strlen(off) + module->len;
	text = arena_alloc(&labels->arena, size + 1);
	if (!text)
		return false;
	stpcpy(stpcpy(stpcpy(text, name->s), off), module->s ? module->s : "");
	*label = (struct label){.s = text, .len = size};
	return true;
}

const struct label *labels_make_frame(struct labels *labels, uint32_t frame, enum frame_place place)
{
	static const struct label unknown = {.s = "[unknown]", .len = sizeof("[unknown]") - 1};
	const struct resolved *resolved = symbols_frame(labels->symbols, frame, place);
	struct label *label = &labels->frames[(size_t)frame * NR_FRAME_PLACES + place];
	const struct label *name = &unknown;

	if (resolved->name)
		name = cached(labels, &labels->names[resolved->name],
			      &labels->symbols->names.items.data[resolved->name]);
	if (!name)
		return NULL;
	if (labels->view->offsets || labels->view->modules)
		return compose(labels, label, name, resolved,
			       labels->model->frames.data[frame].object)
			       ? label
			       : NULL;
	*label = *name;
	return label;
}

void labels_string(struct labels *labels, struct textbuf *out, uint32_t id)
{
	const struct label *label =
		cached(labels, &labels->strings[id], &labels->model->strings.items.data[id]);

	if (label)
		textbuf_bytes(out, label->s, label->len);
	else
		textbuf_fail(out, -ENOMEM);
}
