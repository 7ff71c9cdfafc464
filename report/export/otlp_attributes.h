/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of OTLP: a key of its semantic conventions, or one that begins with "profrec.", and a
 * value. They are appended to the numbers of a request, as a message wants them. All return 0 or
 * -ENOMEM.
 */
#ifndef REPORT_EXPORT_OTLP_ATTRIBUTES_H
#define REPORT_EXPORT_OTLP_ATTRIBUTES_H

#include "report/export/otlp_request.h"

/* Finds or adds a string of the program itself, or one that is escaped. */
int otlp_add_string(struct otlp_request *request, const char *s, int32_t *id);

int otlp_add_number(struct otlp_request *request, const char *key, uint64_t number);

/* Adds @text of a profiled process, escaped. */
int otlp_add_text(struct otlp_request *request, const char *key, const char *text);

#endif
