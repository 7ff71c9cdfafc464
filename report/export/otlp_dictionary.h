/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the samples of an OTLP request share: tables, and the strings and attributes in them. */
#ifndef REPORT_EXPORT_OTLP_DICTIONARY_H
#define REPORT_EXPORT_OTLP_DICTIONARY_H

#include <protobuf-c/protobuf-c.h>

#include "common/index.h"
#include "common/vec.h"
#include "report/text/textbuf.h"

/*
 * A table: elements that are there once, packed as the repeated field of a message that they
 * become. An element is known by its bytes. Element 0 is the zero value. otlp_table_init makes it.
 */
struct otlp_table {
	uint32_t field;        /* its number in the message */
	struct textbuf packed; /* each element with its tag and length */
	VEC(size_t) ends;      /* of the elements in packed */
	struct index index;
};

/* Makes the table that holds @zero of @len bytes. Returns 0 or -ENOMEM. */
int otlp_table_init(struct otlp_table *table, uint32_t field, const void *zero, size_t len);

/* An all-zero table is fine. */
void otlp_table_deinit(struct otlp_table *table);

/* Finds or adds an element of @len bytes. Returns 0 with *@id set, or -ENOMEM. */
int otlp_table_add(struct otlp_table *table, const void *bytes, size_t len, uint32_t *id);

/* Finds or adds @message, packed with the help of @scratch. Returns 0 with *@id set, or -ENOMEM. */
int otlp_table_add_message(struct otlp_table *table, const ProtobufCMessage *message,
			   struct textbuf *scratch, uint32_t *id);

/* Returns the bytes of element @id, and their number in *@len. */
const char *otlp_table_get(const struct otlp_table *table, uint32_t id, size_t *len);

/*
 * Append a field of a message: @len bytes, a message, or the tag and the length of @len bytes that
 * the caller appends. If memory runs out, @out notes the error.
 */
void otlp_put_bytes(struct textbuf *out, uint32_t field, const void *bytes, size_t len);
void otlp_put_message(struct textbuf *out, uint32_t field, const ProtobufCMessage *message);
void otlp_put_length(struct textbuf *out, uint32_t field, size_t len);

/* Appends the fields of @message alone. */
void otlp_put_fields(struct textbuf *out, const ProtobufCMessage *message);

/*
 * The strings and attributes. An attribute is a key of OTLP's semantic conventions, or one that
 * begins with "profrec.", and a value. Numbers of attributes are collected until a message takes
 * them. All functions return 0 or -ENOMEM. otlp_attributes_init makes them.
 */
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
