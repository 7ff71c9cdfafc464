/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of profrep info about interpreted languages: the interpreters, and how many stacks have
 * functions of a language in their place.
 */
#ifndef REPORT_PRINT_INFO_LANGUAGES_H
#define REPORT_PRINT_INFO_LANGUAGES_H

#include "report/model/recording.h"
#include "report/text/json_writer.h"
#include "report/text/textbuf.h"

/* Prints the version of the interpreter in @object, with its language: "CPython 3.11.2 [py]". */
void print_runtime(const struct model *model, const struct model_object *object,
		   struct textbuf *out);

/* Prints nothing of a recording without interpreted languages. Returns 0 or -ENOMEM. */
int info_languages(const struct recording *rec, struct textbuf *out);

/*
 * Prints in which runtimes stacks end that cannot be walked, and what helps. Returns 0 or -ENOMEM.
 */
int info_runtimes(const struct recording *rec, struct textbuf *out);

/* Puts the interpreters as an array. */
void info_languages_json(const struct recording *rec, struct json *json);

#endif
