// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/process_context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/cursor.h"
#include "record/proc/proc_maps.h"
#include "record/proc/proc_path.h"
#include "record/proc/proc_query.h"
#include "record/looks/kept_attributes.h"

/* The mapping begins with it, in the byte order of the host. */
struct context_header {
	char signature[8];
	uint32_t version;
	uint32_t payload_size;
	uint64_t published_ns; /* CLOCK_BOOTTIME; 0: it is being written */
	uint64_t payload;      /* address */
};

#define SIGNATURE "OTEL_CTX"
#define VERSION   2

/* A writer changes a context in a few instructions, unless it is interrupted. */
#define TRIES_MAX 3

/* The search passes over no more mappings. */
#define MAPPINGS_MAX 65536

/* Unlike cursor_varint, takes a varint of more bytes than are needed, as some encoders write. */
static uint64_t take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	return cursor_fail(c);
}

/* The wire types of protobuf. */
enum {
	WIRE_VARINT = 0,
	WIRE_64_BITS = 1,
	WIRE_BYTES = 2,
	WIRE_32_BITS = 5,
};

/* Sets @bytes to the next field @number of @message. Returns false when there is none. */
static bool next_bytes(struct cursor *message, uint64_t number, struct cursor *bytes)
{
	while (cursor_left(message)) {
		uint64_t key = take_varint(message);

		switch (key & 7) {
		case WIRE_VARINT:
			take_varint(message);
			break;
		case WIRE_64_BITS:
			cursor_bytes(message, 8);
			break;
		case WIRE_32_BITS:
			cursor_bytes(message, 4);
			break;
		case WIRE_BYTES:
			*bytes = cursor_sub(message, take_varint(message));
			if (!message->bad && key >> 3 == number)
				return true;
			break;
		default:
			cursor_fail(message);
		}
	}
	return false;
}

/* Adds the KeyValue @pair {key = 1; AnyValue value = 2 {string_value = 1}}. */
static int add_pair(struct cursor pair, char_vec *attributes)
{
	struct cursor key, any, text, again = pair;

	if (!next_bytes(&pair, 1, &key) || !next_bytes(&again, 2, &any) ||
	    !next_bytes(&any, 1, &text))
		return 0;
	return kept_attributes_add(attributes, (const char *)key.p, cursor_left(&key),
				   (const char *)text.p, cursor_left(&text));
}

int process_context_parse(const void *bytes, size_t len, char_vec *attributes)
{
	struct cursor message = {.p = bytes, .end = (const uint8_t *)bytes + len};
	struct cursor resource, pair;
	int ret = 0;

	vec_clear(attributes);
	/* ProcessContext {Resource resource = 1 {repeated KeyValue attributes = 1}} */
	while (!ret && next_bytes(&message, 1, &resource))
		while (!ret && next_bytes(&resource, 1, &pair))
			ret = add_pair(pair, attributes);
	return ret;
}

static bool is_text(const struct cursor *c, const char *text)
{
	return cursor_left(c) == strlen(text) && !memcmp(c->p, text, strlen(text));
}

/* Has the KeyValue @pair the key @name? */
static bool has_key(struct cursor pair, const char *name)
{
	struct cursor key;

	return next_bytes(&pair, 1, &key) && is_text(&key, name);
}

/* Notes which of @wanted the names of the array in @value are: ArrayValue {values = 1}. */
static void number_keys(struct cursor value, const struct label_keys *wanted,
			uint8_t numbers[LABEL_NAMES_MAX])
{
	struct cursor array, any, text;

	if (!next_bytes(&value, 5, &array))
		return;
	for (size_t i = 0; i < LABEL_NAMES_MAX && next_bytes(&array, 1, &any); i++) {
		uint32_t key = wanted->nr;

		if (next_bytes(&any, 1, &text))
			key = label_keys_find(wanted, (const char *)text.p, cursor_left(&text));
		numbers[i] = key < wanted->nr ? key + 1 : 0;
	}
}

bool process_context_keys(const void *bytes, size_t len, const struct label_keys *wanted,
			  uint8_t numbers[LABEL_NAMES_MAX])
{
	struct cursor message = {.p = bytes, .end = (const uint8_t *)bytes + len};
	struct cursor pair, text;
	bool is_known = false;

	memset(numbers, 0, LABEL_NAMES_MAX);
	/* ProcessContext {repeated KeyValue attributes = 2 {key = 1; AnyValue value = 2}} */
	while (next_bytes(&message, 2, &pair)) {
		struct cursor value, rest = pair;

		if (!next_bytes(&rest, 2, &value))
			continue;
		if (has_key(pair, "threadlocal.attribute_key_map"))
			number_keys(value, wanted, numbers);
		if (has_key(pair, "threadlocal.schema_version") && next_bytes(&value, 1, &text))
			is_known = is_text(&text, "tls_v1") || is_text(&text, "tlsdesc_v1_dev");
	}
	return is_known;
}

struct context_question {
	uint32_t pid;
	uint64_t addr; /* 0: look for it */
};

/* The answer begins with it, and the message follows. */
struct context_head {
	uint64_t addr; /* 0: there is none */
};

struct context_search {
	uint64_t addr; /* 0: not found */
	size_t nr_mappings;
};

/* A proc_map_fn. */
static int find_context(void *ctx, const struct proc_map *map)
{
	static const char *const names[] = {"[anon_shmem:" SIGNATURE "]", "[anon:" SIGNATURE "]",
					    "/memfd:" SIGNATURE};
	struct context_search *search = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(map->path, names[i], strlen(names[i])))
			search->addr = map->start;
	return search->addr || ++search->nr_mappings > MAPPINGS_MAX ? -EALREADY : 0;
}

/* Returns 0, or -ENOTTY when the kernel cannot be asked. */
static int search_by_query(int fd, struct context_search *search)
{
	char name[PATH_MAX];
	struct proc_map map = {0};
	int ret = 0;

	while (!ret) {
		ret = proc_query_memory(fd, map.end, name, &map);
		if (!ret)
			ret = find_context(search, &map);
	}
	return ret == -ENOTTY ? ret : 0;
}

/* Sets *@addr to the address of the context in @pid, 0 if it has none. Returns 0 or -ENOMEM. */
static int search_context(uint32_t pid, uint64_t *addr)
{
	_cleanup_close_ int fd = -1;
	char_vec scratch = {0};
	struct context_search search = {0};
	char path[PROC_PATH_SIZE];
	int ret = 0;

	proc_path(pid, "maps", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && search_by_query(fd, &search))
		ret = proc_maps_read(fd, &scratch, find_context, &search);
	vec_free(&scratch);
	*addr = search.addr;
	return ret == -ENOMEM ? ret : 0;
}

/* Reads the context at context->addr. Returns 0, or -ENOENT. */
static int read_context(struct resident_memory *memory, struct process_context *context)
{
	struct context_header header, after;

	for (int i = 0; i < TRIES_MAX; i++) {
		if (resident_memory_read(memory, context->addr, &header, sizeof(header)) !=
			    sizeof(header) ||
		    memcmp(header.signature, SIGNATURE, sizeof(header.signature)) ||
		    header.version != VERSION || header.payload_size > sizeof(context->message))
			return -ENOENT;
		if (header.published_ns &&
		    resident_memory_read(memory, header.payload, context->message,
					 header.payload_size) == (long)header.payload_size &&
		    resident_memory_read(memory, context->addr, &after, sizeof(after)) ==
			    sizeof(after) &&
		    !memcmp(&header, &after, sizeof(header))) {
			context->published_ns = header.published_ns;
			context->nr = header.payload_size;
			return 0;
		}
	}
	return -ENOENT;
}

int process_context_fetch(struct resident_memory *memory, struct process_context *context)
{
	int ret;

	if (context->addr && !read_context(memory, context))
		return 0;
	ret = search_context(memory->pid, &context->addr);
	if (!ret)
		ret = context->addr ? read_context(memory, context) : -ENOENT;
	if (ret)
		context->addr = 0;
	return ret;
}

/* A look_fn. */
static int answer_context(struct look *look)
{
	struct context_question q;
	_cleanup_resident_memory_ struct resident_memory memory = RESIDENT_MEMORY_INIT(0);
	struct process_context context;
	struct context_head head;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	memory.pid = q.pid;
	context.addr = q.addr;
	ret = look_touch(look, look_process(q.pid));
	if (!ret)
		ret = process_context_fetch(&memory, &context);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	head.addr = context.addr;
	look_answer_append(look, &head, sizeof(head));
	look_answer_append(look, context.message, context.nr);
	return 0;
}

int process_context_read(struct looker *looker, uint32_t pid, uint64_t *addr, char_vec *attributes)
{
	const struct context_question q = {.pid = pid, .addr = *addr};
	const struct look_question question = {
		.fn = answer_context, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = pid};
	struct look_answer answer;
	struct context_head head = {0};
	int ret = looker_ask(looker, &question, &answer);

	vec_clear(attributes);
	if (!ret && answer.nr >= sizeof(head)) {
		memcpy(&head, answer.bytes, sizeof(head));
		ret = process_context_parse(answer.bytes + sizeof(head), answer.nr - sizeof(head),
					    attributes);
	}
	*addr = head.addr;
	return ret == -ENOMEM ? ret : 0;
}
