/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strings and attributes of OTLP's dictionary. An attribute is a key of its semantic
 * conventions, or one that begins with "profrec.", and a value. Numbers of attributes are collected
 * until a message takes them. All functions return 0 or -ENOMEM.
 */
#ifndef REPORT_EXPORT_OTLP_ATTRIBUTES_H
#define REPORT_EXPORT_OTLP_ATTRIBUTES_H

#include "report/export/otlp_table.h"

/* otlp_attributes_init makes them. */
struct otlp_attributes {
	struct otlp_table strings, table;
	VEC(int32_t) numbers; /* in table, of the message that is being made */
	struct textbuf scratch;
};

int otlp_attributes_init(struct otlp_attributes *attributes);

/* All-zero attributes are fine. */
void otlp_attributes_deinit(struct otlp_attributes *attributes);

/* Finds or adds a string of the program itself, or one that is escaped. */
int otlp_add_string(struct otlp_attributes *attributes, const char *s, int32_t *id);

int otlp_add_number(struct otlp_attributes *attributes, const char *key, uint64_t number);

/* Adds @text of a profiled process, escaped. */
int otlp_add_text(struct otlp_attributes *attributes, const char *key, const char *text);

/*
 * Sets *@indices and *@nr to the attributes that were added since the call before. They are valid
 * until the next one is added.
 */
void otlp_take_attributes(struct otlp_attributes *attributes, int32_t **indices, size_t *nr);

#endif
