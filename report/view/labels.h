/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of frames and thread names, safe to print: "func+0x10 [libfoo.so]". A name is escaped
 * once, however often it is printed. The parts of a frame's text are joined only in the output,
 * because many frames of a recording can share a name of 64 KB.
 */
#ifndef REPORT_VIEW_LABELS_H
#define REPORT_VIEW_LABELS_H

#include "common/text.h"
#include "report/model/model.h"
#include "report/symbols/symbolise.h"
#include "report/text/textbuf.h"
#include "report/view/view.h"

/* An escaped text. If s is NULL, the text has not been made yet. */
struct label {
	const char *s;
	uint32_t len;
};

/* labels_init makes them. */
struct labels {
	const struct model *model;
	const struct symbols *symbols;
	const struct view *view;
	enum text_mode mode;
	struct label *names;   /* one for each of symbols->names */
	struct label *strings; /* one for each of model->strings */
	struct label *modules; /* one for each of model->objects: the module's name, or "" */
	struct label *files;   /* one for each of symbols->lines.files, as the view shows it */
	struct arena arena;
};

/*
 * Prepares labels for @view. All three arguments are borrowed until labels_deinit. Returns 0 or
 * -ENOMEM.
 */
int labels_init(struct labels *labels, const struct model *model, const struct symbols *symbols,
		const struct view *view);

/* Releases the labels; all-zero labels are fine. */
void labels_deinit(struct labels *labels);

/*
 * Returns the number of frames that the view shows for @frame at @place: 1, or more if functions
 * were inlined there.
 */
uint32_t labels_nr_parts(const struct labels *labels, uint32_t frame, enum frame_place place);

/*
 * Appends the text of part @part of @frame at @place to @out. Part 0 is the innermost function, the
 * last part the function of the code itself. The text is without "_[k]": only the caller knows the
 * side of the stack. A frame of a language gets the language's name, "_[py]", if the view has
 * annotations. If memory runs out, @out notes the error.
 */
void labels_part(struct labels *labels, struct textbuf *out, uint32_t frame, enum frame_place place,
		 uint32_t part);

/* Appends string @id of the model, escaped. */
void labels_string(struct labels *labels, struct textbuf *out, uint32_t id);

/* Appends the name @comm of a thread, and "/TID" if it is told apart by its id, which is not 0. */
void labels_thread(struct labels *labels, struct textbuf *out, uint32_t comm, uint32_t tid);

#endif
