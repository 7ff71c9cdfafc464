// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include "report/export/otlp.pb-c.h"
#include "report/text/json_writer.h"

#define KEY_BYTES 64

static void put_message(struct json *json, const char *key, const ProtobufCMessage *message);

/* Makes "string_table" "stringTable". Names of the description are far shorter than KEY_BYTES. */
static void make_key(char key[KEY_BYTES], const char *name)
{
	size_t nr = 0;

	for (; *name && nr < KEY_BYTES - 1; name++) {
		if (*name == '_' && name[1])
			key[nr++] = (char)toupper((unsigned char)*++name);
		else
			key[nr++] = *name;
	}
	key[nr] = '\0';
}

static void put_hex(struct json *json, const char *key, const ProtobufCBinaryData *bytes)
{
	json_key(json, key);
	textbuf_char(json->out, '"');
	for (size_t i = 0; i < bytes->len; i++)
		textbuf_printf(json->out, "%02x", bytes->data[i]);
	textbuf_char(json->out, '"');
}

/* Numbers of 64 bits are text, because JavaScript's have 53. */
static void put_value(struct json *json, const char *key, ProtobufCType type, const void *value)
{
	switch (type) {
	case PROTOBUF_C_TYPE_INT32:
		json_key(json, key);
		textbuf_printf(json->out, "%" PRId32, *(const int32_t *)value);
		break;
	case PROTOBUF_C_TYPE_INT64:
		json_key(json, key);
		textbuf_printf(json->out, "\"%" PRId64 "\"", *(const int64_t *)value);
		break;
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
		json_key(json, key);
		textbuf_printf(json->out, "\"%" PRIu64 "\"", *(const uint64_t *)value);
		break;
	case PROTOBUF_C_TYPE_STRING:
		json_put_safe(json, key, *(char *const *)value);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		put_hex(json, key, value);
		break;
	default:
		put_message(json, key, *(const ProtobufCMessage *const *)value);
		break;
	}
}

static size_t size_of(ProtobufCType type)
{
	if (type == PROTOBUF_C_TYPE_INT32)
		return sizeof(int32_t);
	return type == PROTOBUF_C_TYPE_STRING || type == PROTOBUF_C_TYPE_MESSAGE ? sizeof(void *)
										 : sizeof(uint64_t);
}

static void put_repeated(struct json *json, const char *key, const ProtobufCFieldDescriptor *field,
			 const char *elements, size_t nr)
{
	if (!nr)
		return;
	json_open(json, key, '[');
	for (size_t i = 0; i < nr; i++)
		put_value(json, NULL, field->type, elements + i * size_of(field->type));
	json_close(json, ']');
}

/* A field that has its default value is left out, as in the packed message. */
static bool is_default(ProtobufCType type, const void *value)
{
	switch (type) {
	case PROTOBUF_C_TYPE_INT32:
		return !*(const int32_t *)value;
	case PROTOBUF_C_TYPE_STRING:
		return !**(const char *const *)value;
	case PROTOBUF_C_TYPE_BYTES:
		return !((const ProtobufCBinaryData *)value)->len;
	case PROTOBUF_C_TYPE_MESSAGE:
		return !*(const void *const *)value;
	default:
		return !*(const uint64_t *)value;
	}
}

/* @quantifier is the number of the field that a oneof has. */
static bool is_set(const ProtobufCFieldDescriptor *field, const void *value,
		   const uint32_t *quantifier)
{
	if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
		return *quantifier == field->id;
	return !is_default(field->type, value);
}

static void put_field(struct json *json, const ProtobufCMessage *message,
		      const ProtobufCFieldDescriptor *field)
{
	const char *base = (const char *)message, *value = base + field->offset;
	const void *quantifier = base + field->quantifier_offset;
	char key[KEY_BYTES];

	make_key(key, field->name);
	if (field->label == PROTOBUF_C_LABEL_REPEATED)
		put_repeated(json, key, field, *(const char *const *)value,
			     *(const size_t *)quantifier);
	else if (is_set(field, value, quantifier))
		put_value(json, key, field->type, value);
}

static void put_message(struct json *json, const char *key, const ProtobufCMessage *message)
{
	json_open(json, key, '{');
	for (unsigned int i = 0; i < message->descriptor->n_fields; i++)
		put_field(json, message, &message->descriptor->fields[i]);
	json_close(json, '}');
}

int otlp_json_put(struct textbuf *out, const void *bytes, size_t len)
{
	Otlp__ExportProfilesServiceRequest *request =
		otlp__export_profiles_service_request__unpack(NULL, len, bytes);
	struct json json = {.out = out};

	/* The bytes are of a request of our own, so nothing but memory can be missing. */
	if (!request)
		return -ENOMEM;
	put_message(&json, NULL, &request->base);
	textbuf_char(out, '\n');
	otlp__export_profiles_service_request__free_unpacked(request, NULL);
	return 0;
}
