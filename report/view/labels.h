/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of frames and thread names, safe to print: "func+0x10 [libfoo.so]". Each name is
 * escaped once, however often it is printed. A frame's text is put together when it is printed:
 * a recording can hold many frames that share a name of 64 KB.
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

/*
 * Appends the text of @frame at @place to @out, without "_[k]": whether it is a kernel's depends on
 * the stack. Running out of memory is noted in @out.
 */
void labels_frame(struct labels *labels, struct textbuf *out, uint32_t frame,
		  enum frame_place place);

/* Appends the model's string @id, escaped. */
void labels_string(struct labels *labels, struct textbuf *out, uint32_t id);

#endif
