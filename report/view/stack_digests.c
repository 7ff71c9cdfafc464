// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/stack_digests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

/* The halves of a digest begin with different numbers, which make them different hashes. */
static const struct stack_digest digest_start = {{0, 0x9e3779b97f4a7c15}};

/* All that a view shows of a frame but its module's name, which follows. There is no padding. */
struct shown_frame {
	uint64_t start;      /* offset of a function without a name, if the view shows it */
	uint64_t off;        /* in the function; 0 unless the view shows offsets */
	uint64_t addr;       /* 0 unless the view shows addresses */
	uint32_t name;       /* in symbols.names; 0: none */
	uint32_t module_len; /* bytes; 0 unless the view shows the module */
	uint32_t has_start, has_addr;
	uint32_t line;     /* of the definition of a function of a language */
	uint32_t language; /* string of the model; 0 unless the view shows it */
};

/* Folded output has no addresses. */
static bool shows_addresses(const struct view *view)
{
	return view->addresses && !view->folded;
}

int stack_digests_init(struct stack_digests *digests, const struct model *model,
		       const struct symbols *symbols, const struct view *view)
{
	*digests = (struct stack_digests){.model = model, .symbols = symbols, .view = view};
	if (shows_addresses(view))
		return 0;
	digests->known = calloc(model->stacks.nr, sizeof(*digests->known));
	return digests->known ? 0 : -ENOMEM;
}

void stack_digests_deinit(struct stack_digests *digests)
{
	free(digests->known);
	*digests = (struct stack_digests){0};
}

static void add_bytes(struct stack_digest *digest, const void *bytes, size_t len)
{
	for (size_t i = 0; i < sizeof(digest->halves) / sizeof(*digest->halves); i++)
		digest->halves[i] = hash_bytes(bytes, len, digest->halves[i]);
}

/* Adds the functions and lines that the view shows of a frame. */
static void add_lines(const struct stack_digests *digests, struct stack_digest *digest,
		      const struct resolved *resolved)
{
	const struct view *view = digests->view;
	const struct source_frame *line;

	for (uint32_t i = 0; (line = symbols_line(digests->symbols, resolved, i)); i++) {
		const uint32_t shown[] = {
			i + 1,
			resolved_name(resolved, line),
			view->lines ? line->file : 0,
			view->lines ? line->line : 0,
		};

		add_bytes(digest, shown, sizeof(shown));
		if (!view->inlines)
			break;
	}
}

/* Adds a frame as labels.c prints it. */
static void add_frame(const struct stack_digests *digests, struct stack_digest *digest,
		      uint32_t process, uint32_t frame, enum frame_place place)
{
	const struct resolved *resolved = symbols_frame(digests->symbols, frame, place);
	const struct model_frame *f = &digests->model->frames.data[frame];
	const char *module = model_object_base(digests->model, f->object);
	const struct view *view = digests->view;
	enum unnamed unnamed = resolved->name ? UNNAMED_UNKNOWN : view_unnamed(view);
	struct shown_frame shown = {.name = resolved->name};
	uint64_t addr;

	shown.has_start = unnamed == UNNAMED_FUNCTION && resolved->is_bounded && module[0];
	if (shown.has_start)
		shown.start = f->offset - resolved->off;
	if (model_frame_is_source(digests->model, frame)) {
		shown.line = view->offsets ? PROF_SOURCE_LINE(f->offset) : 0;
		if (view->annotations)
			shown.language = digests->model->objects.data[f->object].language;
	} else if (view->offsets && (resolved->name || shown.has_start)) {
		shown.off = resolved->off;
	}
	if (shows_addresses(view) && model_address(digests->model, process, frame, &addr)) {
		shown.has_addr = true;
		shown.addr = addr;
	}
	if (view->modules || shown.has_start || unnamed == UNNAMED_MODULE)
		shown.module_len = strlen(module);
	add_bytes(digest, &shown, sizeof(shown));
	add_bytes(digest, module, shown.module_len);
	add_lines(digests, digest, resolved);
}

struct stack_digest stack_digests_get(struct stack_digests *digests, uint32_t process,
				      uint32_t stack)
{
	static const struct stack_digest unknown;
	const struct model_stack *s = &digests->model->stacks.data[stack];
	const uint64_t is_missed = stack_end_is_missed(s->end);
	struct stack_digest digest = digest_start;

	if (digests->known && memcmp(&digests->known[stack], &unknown, sizeof(unknown)) != 0)
		return digests->known[stack];
	add_bytes(&digest, &is_missed, sizeof(is_missed));
	for (uint32_t i = 0; i < s->nr_frames; i++)
		add_frame(digests, &digest, process,
			  digests->model->stack_frames.data[s->first_frame + i],
			  i ? FRAME_CALLER : FRAME_LEAF);
	if (digests->known)
		digests->known[stack] = digest;
	return digest;
}
