// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profrep export otlp: collects the rows of a recording (otlp_collect.c) and writes a request of
 * them (otlp_write.c), or makes JSON of its bytes. Pushes take the same two steps
 * (report/push/profile_parts.c).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include "report/export/exporters.h"
#include "report/export/otlp.pb-c.h"
#include "report/export/otlp_write.h"
#include "report/export/timed_rows.h"
#include "report/text/json_writer.h"
#include "report/text/textbuf.h"

/*
 * OTLP's mapping to JSON (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"): that of
 * protobuf, with names in lowerCamelCase and ids in hexadecimal digits.
 */

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

/* Appends the request that was packed as @len @bytes. Returns 0 or -ENOMEM. */
static int otlp_json_put(struct textbuf *out, const void *bytes, size_t len)
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

/* What is collected, and the printout whose rows it gets. */
struct adding {
	struct otlp_collected *collected;
	const struct printout *p;
};

static int add_row(void *ctx, const struct stack_row *row)
{
	const struct adding *adding = ctx;

	return otlp_collect(adding->collected, adding->p, row, row->count, 0);
}

/* The time of a part of a row is where its slice begins. */
static int add_timed_row(void *ctx, const struct timed_row *timed)
{
	const struct adding *adding = ctx;
	uint64_t start_ns = adding->p->rec->meta->start_realtime_ns;

	return otlp_collect(adding->collected, adding->p, &timed->row, timed->row.count,
			    start_ns + timed->slot->begin_ns);
}

static int add_rows(struct otlp_collected *x, const struct printout *p,
		    struct rows_summary *summary)
{
	struct adding adding = {x, p};

	return x->has_times ? timed_rows_visit(p, add_timed_row, &adding, summary)
			    : rows_visit_all(&p->rec->model, p->view, add_row, &adding, summary);
}

/* JSON is made of the whole, since it has other bytes for all of it. */
static int print_json(struct otlp_collected *x, const struct printout *p)
{
	struct textbuf packed = {.fd = -1};
	int ret = otlp_write(x, p, &packed);

	if (!ret)
		ret = otlp_json_put(p->out, packed.data, packed.nr);
	textbuf_deinit(&packed);
	return ret;
}

int export_otlp(struct source *source, struct textbuf *out, const struct otlp_choice *choice,
		struct rows_summary *summary)
{
	const struct recording *rec = &source->rec;
	const struct printout p = source_printout(source, out);
	struct otlp_collected x;
	int ret = otlp_collected_init(&x);

	x.time_ns = rec->meta->start_realtime_ns;
	x.duration_ns = rec->end && rec->nr_recordings <= 1 ? rec->end->duration_ns
							    : rec->meta->duration_ns;
	x.has_times = choice->has_times;
	for (uint32_t i = 0; i < source->events.nr && !ret; i++) {
		source->view.event = source->events.first + i;
		ret = add_rows(&x, &p, summary);
	}
	/* All stacks are collected now, and the request takes as much memory. */
	model_forget_rows(&source->rec.model);
	if (!ret)
		ret = choice->is_json ? print_json(&x, &p) : otlp_write(&x, &p, out);
	otlp_collected_deinit(&x);
	return ret;
}
