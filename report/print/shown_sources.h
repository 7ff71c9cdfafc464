/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources of the names in a recording, as words: parts of files, and who read them. */
#ifndef REPORT_PRINT_SHOWN_SOURCES_H
#define REPORT_PRINT_SHOWN_SOURCES_H

#include "report/model/recording.h"
#include "report/text/textbuf.h"

/* Prints the sources of the names of @object in brackets; nothing if the recording tells none. */
void print_name_sources(struct textbuf *out, const struct model *model, uint32_t object);

/* Prints a line of profrep info about all of them, if the recording tells any. */
void info_names(const struct recording *rec, struct textbuf *out);

#endif
