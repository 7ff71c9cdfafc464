// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/process_environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "common/readfile.h"
#include "format/prof.h"
#include "record/proc/proc_path.h"
#include "record/looks/kept_attributes.h"
#include "record/looks/resident_memory.h"

/* The file has some fifty numbers and a name. */
#define STAT_MAX 4096

/* The fields after the name, which may hold anything but ends at the last parenthesis. */
#define FIELD_AFTER_NAME  3
#define FIELD_ENVIRONMENT 50 /* env_start; env_end follows */

#define SERVICE_VARIABLE   "OTEL_SERVICE_NAME"
#define RESOURCE_VARIABLE  "OTEL_RESOURCE_ATTRIBUTES"
#define RESOURCE_VALUE_MAX 1024

/* The value of the variable @name, NULL if there is none. The first of one name is the one. */
static const char *find_variable(const char *bytes, size_t len, const char *name)
{
	size_t nr_name = strlen(name);

	for (size_t at = 0; at < len;) {
		const char *text = bytes + at;
		size_t nr = strnlen(text, len - at);

		if (at + nr == len)
			return NULL;
		if (nr > nr_name && text[nr_name] == '=' && !memcmp(text, name, nr_name))
			return text + nr_name + 1;
		at += nr + 1;
	}
	return NULL;
}

/* Makes bytes of the %XX in @text. Returns their number, 0 if it is not well-formed or too long. */
static size_t decode(const char *text, size_t nr, char bytes[RESOURCE_VALUE_MAX])
{
	size_t nr_bytes = 0;

	for (size_t i = 0; i < nr; i++) {
		int high, low;

		if (nr_bytes == RESOURCE_VALUE_MAX)
			return 0;
		if (text[i] != '%') {
			bytes[nr_bytes++] = text[i];
			continue;
		}
		high = i + 2 < nr ? hex_digit(text[i + 1]) : -1;
		low = high < 0 ? -1 : hex_digit(text[i + 2]);
		if (low < 0)
			return 0;
		bytes[nr_bytes++] = (char)(high << 4 | low);
		i += 2;
	}
	return nr_bytes;
}

static void trim(const char **text, size_t *nr)
{
	for (; *nr && strchr(" \t", **text); (*nr)--)
		(*text)++;
	while (*nr && strchr(" \t", (*text)[*nr - 1]))
		(*nr)--;
}

/* Adds a pair KEY=VALUE of @nr bytes; @has_name: the name of the service is known already. */
static int add_pair(const char *pair, size_t nr, bool has_name, char_vec *attributes)
{
	const char *equals = memchr(pair, '=', nr), *key = pair, *value;
	char bytes[RESOURCE_VALUE_MAX];
	size_t nr_key, nr_value;

	if (!equals)
		return 0;
	nr_key = equals - pair;
	value = equals + 1;
	nr_value = nr - nr_key - 1;
	trim(&key, &nr_key);
	trim(&value, &nr_value);
	if (has_name && prof_attribute_find(key, nr_key) == PROF_ATTRIBUTE_SERVICE)
		return 0;
	return kept_attributes_add(attributes, key, nr_key, bytes, decode(value, nr_value, bytes));
}

int process_environment_parse(const char *bytes, size_t len, char_vec *attributes)
{
	const char *key = prof_attribute_keys[PROF_ATTRIBUTE_SERVICE];
	const char *service = find_variable(bytes, len, SERVICE_VARIABLE);
	const char *resource = find_variable(bytes, len, RESOURCE_VARIABLE);
	bool has_name = service && *service;
	int ret = 0;

	vec_clear(attributes);
	if (has_name)
		ret = kept_attributes_add(attributes, key, strlen(key), service, strlen(service));
	while (!ret && resource && *resource) {
		size_t nr = strcspn(resource, ",");

		ret = add_pair(resource, nr, has_name, attributes);
		resource += nr + (resource[nr] == ',');
	}
	return ret;
}

bool process_environment_find(const char *stat, uint64_t *begin, uint64_t *end)
{
	const char *at = strrchr(stat, ')');

	for (int i = FIELD_AFTER_NAME; at && i <= FIELD_ENVIRONMENT; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%" SCNu64 " %" SCNu64, begin, end) == 2 && *begin < *end;
}

/* Reads [@begin, @end) of @pid into @bytes, up to what cannot be read. */
static int read_environment(uint32_t pid, uint64_t begin, uint64_t end, char_vec *bytes)
{
	_cleanup_resident_memory_ struct resident_memory memory = RESIDENT_MEMORY_INIT(pid);
	size_t len = min_u64(end - begin, ENVIRONMENT_MAX);

	if (vec_reserve(bytes, len))
		return -ENOMEM;
	while (bytes->nr < len) {
		long nr = resident_memory_read(&memory, begin + bytes->nr, bytes->data + bytes->nr,
					       len - bytes->nr);

		if (nr <= 0)
			break;
		bytes->nr += nr;
	}
	return 0;
}

/* A look_fn. The rest of the environment stays in the looker. */
static int answer_environment(struct look *look)
{
	char_vec text = {0}, bytes = {0}, attributes = {0};
	uint64_t begin, end;
	char path[PROC_PATH_SIZE];
	uint32_t pid;
	int ret;

	memcpy(&pid, look->question, sizeof(pid));
	ret = look_touch(look, look_process(pid));
	if (ret)
		return ret;
	proc_path(pid, "stat", path);
	if (!read_file(path, STAT_MAX, &text) && text.nr &&
	    process_environment_find(text.data, &begin, &end))
		ret = read_environment(pid, begin, end, &bytes);
	if (!ret)
		ret = process_environment_parse(bytes.data, bytes.nr, &attributes);
	if (!ret && !look_answer_append(look, attributes.data, attributes.nr))
		ret = -E2BIG;
	vec_free(&text);
	vec_free(&bytes);
	vec_free(&attributes);
	return ret;
}

/* Takes key and value by turns from an answer. */
static int take_answer(const struct look_answer *answer, char_vec *attributes)
{
	const char *at = answer->bytes, *end = at + answer->nr;
	int ret = 0;

	while (!ret && at < end) {
		const char *value = memchr(at, 0, end - at);
		const char *after = value ? memchr(value + 1, 0, end - value - 1) : NULL;

		if (!after)
			break;
		ret = kept_attributes_add(attributes, at, value - at, value + 1, after - value - 1);
		at = after + 1;
	}
	return ret;
}

int process_environment_read(struct looker *looker, uint32_t pid, char_vec *attributes)
{
	const struct look_question question = {
		.fn = answer_environment, .bytes = &pid, .nr = sizeof(pid), .fd = -1, .pid = pid};
	struct look_answer answer;
	int ret = looker_ask(looker, &question, &answer);

	vec_clear(attributes);
	if (!ret)
		ret = take_answer(&answer, attributes);
	return ret == -ENOMEM ? ret : 0;
}
