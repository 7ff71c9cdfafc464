/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of OTLP's dictionary: elements that are there once, packed as the repeated field of a
 * message that they become. An element is known by its bytes. Element 0 is the zero value.
 */
#ifndef REPORT_EXPORT_OTLP_TABLE_H
#define REPORT_EXPORT_OTLP_TABLE_H

#include <protobuf-c/protobuf-c.h>

#include "common/index.h"
#include "common/vec.h"
#include "report/text/textbuf.h"

/* otlp_table_init makes it. */
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

#endif
