/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of frames that the user wants to see, of stacks in which an interpreter's native frames
 * stand between the functions that it runs. Frames that are not wanted are taken out of the model
 * before anybody looks up names. So rows that differ in them alone become one row, in every output.
 */
#ifndef REPORT_MODEL_SHOWN_FRAMES_H
#define REPORT_MODEL_SHOWN_FRAMES_H

#include "report/model/model.h"

enum shown_frames {
	FRAMES_AUTO = 0, /* the command chooses: FRAMES_MIXED or FRAMES_LANGUAGE */
	FRAMES_MIXED,    /* all frames */
	FRAMES_NATIVE,   /* no functions of interpreted languages */
	/*
	 * No frames of an interpreter, and no native frames that called the outermost function of a
	 * language. Stacks without such a function stay whole.
	 */
	FRAMES_LANGUAGE,
};

/* The words of the option for them, by enum shown_frames; NULL is the last. */
extern const char *const shown_frames_words[];

/* Do most samples of @event have functions of a language? Those that were filtered do not count. */
bool shown_frames_are_of_language(const struct model *model, uint32_t event);

/*
 * Takes the other frames out of the stacks of user space, and adds up the rows that have become
 * alike. Call it after the last epoch. Returns 0 or -ENOMEM. After an error the model is only good
 * for model_deinit.
 */
int shown_frames_choose(struct model *model, enum shown_frames shown);

/* Is @frame a function of an interpreted language? */
static inline bool model_frame_is_source(const struct model *model, uint32_t frame)
{
	const struct model_object *object = &model->objects.data[model->frames.data[frame].object];

	return object->language && object->language_role == PROF_LANGUAGE_SOURCE;
}

/* Do the frames of @object run functions of a language? */
static inline bool model_object_is_interpreter(const struct model *model, uint32_t object)
{
	const struct model_object *o = &model->objects.data[object];

	return o->language && o->language_role == PROF_LANGUAGE_INTERPRETER;
}

#endif
