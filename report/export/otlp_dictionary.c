// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_dictionary.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"
#include "report/export/otlp.pb-c.h"

/* The wire type of strings, bytes and messages (protobuf.dev/programming-guides/encoding). */
#define LENGTH_DELIMITED 2

/* The numbers of the tables in ProfilesDictionary. */
#define DICTIONARY_STRINGS    5
#define DICTIONARY_ATTRIBUTES 6

static void put_varint(struct textbuf *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		textbuf_char(out, (char)(value | 0x80));
	textbuf_char(out, (char)value);
}

void otlp_put_length(struct textbuf *out, uint32_t field, size_t len)
{
	put_varint(out, field << 3 | LENGTH_DELIMITED);
	put_varint(out, len);
}

void otlp_put_bytes(struct textbuf *out, uint32_t field, const void *bytes, size_t len)
{
	otlp_put_length(out, field, len);
	textbuf_bytes(out, bytes, len);
}

void otlp_put_fields(struct textbuf *out, const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);

	if (textbuf_reserve(out, len))
		out->nr += protobuf_c_message_pack(message, (uint8_t *)out->data + out->nr);
}

void otlp_put_message(struct textbuf *out, uint32_t field, const ProtobufCMessage *message)
{
	otlp_put_length(out, field, protobuf_c_message_get_packed_size(message));
	otlp_put_fields(out, message);
}

int otlp_table_init(struct otlp_table *table, uint32_t field, const void *zero, size_t len)
{
	uint32_t id;

	*table = (struct otlp_table){.field = field, .packed.fd = -1};
	return otlp_table_add(table, zero, len, &id);
}

void otlp_table_deinit(struct otlp_table *table)
{
	textbuf_deinit(&table->packed);
	vec_free(&table->ends);
	index_deinit(&table->index);
}

/* The bytes of an element end where it ends, so only their number must be found. */
static size_t length_of(const struct otlp_table *table, uint32_t id)
{
	size_t start = id ? table->ends.data[id - 1] : 0, len = 0;
	const char *p = table->packed.data + start;

	while (*p++ & 0x80)
		;
	for (int shift = 0;; shift += 7) {
		len |= (size_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			return len;
	}
}

const char *otlp_table_get(const struct otlp_table *table, uint32_t id, size_t *len)
{
	*len = length_of(table, id);
	return table->packed.data + table->ends.data[id] - *len;
}

int otlp_table_add(struct otlp_table *table, const void *bytes, size_t len, uint32_t *id)
{
	uint64_t hash = hash_bytes(len ? bytes : NULL, len, 0);

	index_for_each(&table->index, hash, i) {
		size_t have;
		const char *element = otlp_table_get(table, i, &have);

		if (have == len && (!len || !memcmp(element, bytes, len))) {
			*id = i;
			return 0;
		}
	}
	otlp_put_bytes(&table->packed, table->field, bytes, len);
	*id = table->ends.nr;
	if (table->packed.error)
		return table->packed.error;
	return index_push(&table->index, &table->ends, hash, table->packed.nr);
}

int otlp_table_add_message(struct otlp_table *table, const ProtobufCMessage *message,
			   struct textbuf *scratch, uint32_t *id)
{
	int ret;

	scratch->nr = 0;
	otlp_put_fields(scratch, message);
	ret = scratch->error;
	if (!ret)
		ret = otlp_table_add(table, scratch->data, scratch->nr, id);
	scratch->nr = 0;
	return ret;
}

int otlp_attributes_init(struct otlp_attributes *x)
{
	int ret;

	*x = (struct otlp_attributes){.scratch.fd = -1};
	ret = otlp_table_init(&x->strings, DICTIONARY_STRINGS, "", 0);
	return ret ? ret : otlp_table_init(&x->table, DICTIONARY_ATTRIBUTES, "", 0);
}

void otlp_attributes_deinit(struct otlp_attributes *x)
{
	otlp_table_deinit(&x->strings);
	otlp_table_deinit(&x->table);
	vec_free(&x->numbers);
	textbuf_deinit(&x->scratch);
}

int otlp_add_string(struct otlp_attributes *x, const char *s, int32_t *id)
{
	uint32_t number;
	int ret = otlp_table_add(&x->strings, s, strlen(s), &number);

	*id = ret ? 0 : (int32_t)number;
	return ret;
}

static int add_attribute(struct otlp_attributes *x, const char *key, Otlp__AnyValue *value)
{
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
	uint32_t id;
	int ret = otlp_add_string(x, key, &attribute.key_strindex);

	attribute.value = value;
	if (!ret)
		ret = otlp_table_add_message(&x->table, &attribute.base, &x->scratch, &id);
	return ret ? ret : vec_push(&x->numbers, (int32_t)id);
}

int otlp_add_number(struct otlp_attributes *x, const char *key, uint64_t number)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;

	value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
	value.int_value = number > INT64_MAX ? INT64_MAX : (int64_t)number;
	return add_attribute(x, key, &value);
}

int otlp_add_text(struct otlp_attributes *x, const char *key, const char *text)
{
	struct textbuf escaped = {.fd = -1};
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	int ret;

	textbuf_escaped(&escaped, text, strlen(text), TEXT_DATA);
	textbuf_char(&escaped, '\0');
	value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value.string_value = escaped.data;
	ret = escaped.error ? escaped.error : add_attribute(x, key, &value);
	textbuf_deinit(&escaped);
	return ret;
}

void otlp_take_attributes(struct otlp_attributes *x, int32_t **indices, size_t *nr)
{
	*indices = x->numbers.data;
	*nr = x->numbers.nr;
	vec_clear(&x->numbers);
}
