/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects as tables of files show them. */
#ifndef REPORT_PRINT_SHOWN_OBJECTS_H
#define REPORT_PRINT_SHOWN_OBJECTS_H

#include <stdint.h>

#include "report/model/model.h"
#include "report/text/textbuf.h"

/* Returns the path of @object, or a text in brackets if it has none. */
const char *object_path(const struct model *model, uint32_t object);

/*
 * Compares objects as strcmp does. Kind, path and build-id decide, and equal objects are one file
 * for the user. Instances and places of the file do not matter.
 */
int object_compare(const struct model *model, uint32_t a, uint32_t b);

/* Prints the sources of the names of @object in brackets; nothing if the recording tells none. */
void print_name_sources(struct textbuf *out, const struct model *model, uint32_t object);

#endif
