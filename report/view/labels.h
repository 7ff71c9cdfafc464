/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of frames and thread names, safe to print: "func+0x10 [libfoo.so]". Each name is
 * escaped once, however often it is printed.
 */
#ifndef REPORT_VIEW_LABELS_H
#define REPORT_VIEW_LABELS_H

#include "common/text.h"
#include "report/model/model.h"
#include "report/symbols/symbolise.h"
#include "report/text/textbuf.h"
#include "report/view/view.h"

/* A text, escaped; s NULL: not made yet. */
struct label {
	const char *s;
	uint32_t len;
};

/* Initialise with labels_init. */
struct labels {
	const struct model *model;
	const struct symbols *symbols;
	const struct view *view;
	enum text_mode mode;
	struct label *frames;  /* [frame * NR_FRAME_PLACES + place], may share the names' texts */
	struct label *names;   /* of symbols->names */
	struct label *strings; /* of model->strings */
	struct label *modules; /* of model->objects: " [module]" or "" */
	struct arena arena;
};

/*
 * Prepares labels as @view wants them; all three are borrowed until labels_deinit. Returns 0 or
 * -ENOMEM.
 */
int labels_init(struct labels *labels, const struct model *model, const struct symbols *symbols,
		const struct view *view);

/* Releases the labels; all zero is fine. */
void labels_deinit(struct labels *labels);

/* Makes the label of a frame that has none yet. NULL when memory is out. */
const struct label *labels_make_frame(struct labels *labels, uint32_t frame,
				      enum frame_place place);

/*
 * The label of @frame at @place, without "_[k]": whether it is a kernel's depends on the stack.
 * Lives as long as @labels. NULL when memory is out.
 */
static inline const struct label *labels_frame(struct labels *labels, uint32_t frame,
					       enum frame_place place)
{
	const struct label *label = &labels->frames[(size_t)frame * NR_FRAME_PLACES + place];

	return label->s ? label : labels_make_frame(labels, frame, place);
}

/* Appends the model's string @id, escaped. */
void labels_string(struct labels *labels, struct textbuf *out, uint32_t id);

#endif
