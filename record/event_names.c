// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/event_names.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/parse.h"
#include "common/readfile.h"

#define RAW_DIGITS_MAX 16 /* of perf_event_attr.config */

#define PATH_SIZE 512

const char *const tracefs_roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing", NULL};

#define HARDWARE(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SOFTWARE(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

static const struct event_name names[] = {
	{"cpu-clock", SOFTWARE(CPU_CLOCK), false},
	{"task-clock", SOFTWARE(TASK_CLOCK), false},
	{"page-faults", SOFTWARE(PAGE_FAULTS), true},
	{"faults", SOFTWARE(PAGE_FAULTS), true},
	{"minor-faults", SOFTWARE(PAGE_FAULTS_MIN), true},
	{"major-faults", SOFTWARE(PAGE_FAULTS_MAJ), true},
	{"context-switches", SOFTWARE(CONTEXT_SWITCHES), true},
	{"cs", SOFTWARE(CONTEXT_SWITCHES), true},
	{"cpu-migrations", SOFTWARE(CPU_MIGRATIONS), true},
	{"migrations", SOFTWARE(CPU_MIGRATIONS), true},
	{"cycles", HARDWARE(CPU_CYCLES), false},
	{"cpu-cycles", HARDWARE(CPU_CYCLES), false},
	{"instructions", HARDWARE(INSTRUCTIONS), false},
	{"cache-references", HARDWARE(CACHE_REFERENCES), false},
	{"cache-misses", HARDWARE(CACHE_MISSES), false},
	{"branches", HARDWARE(BRANCH_INSTRUCTIONS), false},
	{"branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), false},
	{"branch-misses", HARDWARE(BRANCH_MISSES), false},
	{"bus-cycles", HARDWARE(BUS_CYCLES), false},
};

static bool parse_raw(const char *text, uint64_t *config)
{
	size_t digits = strspn(text + 1, "0123456789abcdefABCDEF");

	if (text[0] != 'r' || !digits || digits > RAW_DIGITS_MAX || text[1 + digits])
		return false;
	*config = strtoull(text + 1, NULL, 16);
	return true;
}

/* The names become parts of a path: nothing that leads elsewhere. */
static size_t word_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return n;
}

static bool is_tracepoint(const char *text)
{
	size_t category = word_length(text);
	size_t name;

	if (!category || text[category] != ':')
		return false;
	name = word_length(text + category + 1);
	return name && !text[category + 1 + name] && category + name < PATH_SIZE / 2;
}

int event_name_parse(const char *text, struct event_name *event)
{
	uint64_t config;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, text))
			continue;
		*event = names[i];
		return 0;
	}
	if (parse_raw(text, &config)) {
		*event = (struct event_name){text, PERF_TYPE_RAW, config, false};
		return 0;
	}
	if (is_tracepoint(text)) {
		*event = (struct event_name){text, PERF_TYPE_TRACEPOINT, 0, true};
		return 0;
	}
	return -EINVAL;
}

static int find_root(const char *const *roots, const char **root, struct err *err)
{
	char path[PATH_SIZE];
	int code = -ENOENT;

	for (; *roots; roots++) {
		snprintf(path, sizeof(path), "%s/events", *roots);
		if (!access(path, R_OK | X_OK)) {
			*root = *roots;
			return 0;
		}
		if (errno == EACCES)
			code = -EACCES;
	}
	if (code == -EACCES)
		return err_set(err, code, "failed to find the tracepoints: %s", strerror(-code));
	err_set(err, code, "failed to find the tracepoints: tracefs is not mounted");
	return err_hint(err, code, "mount -t tracefs tracefs /sys/kernel/tracing");
}

int event_name_find_id(struct event_name *event, const char *const *roots, struct err *err)
{
	int category = strcspn(event->name, ":");
	const char *name = event->name + category + 1, *root = NULL;
	char path[PATH_SIZE];
	char_vec text = {0};
	int ret = find_root(roots, &root, err);

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", root, category, event->name, name);
	ret = read_file(path, sizeof(path), &text);
	if (!ret) {
		text.data[strcspn(text.data, "\n")] = '\0';
		if (parse_u64(text.data, 0, UINT32_MAX, &event->config))
			ret = -EIO;
	}
	vec_free(&text);
	if (ret == -ENOENT) {
		err_set(err, ret, "failed to find event '%s': there is no such tracepoint",
			event->name);
		return err_hint(err, ret, "the categories and their tracepoints: ls %s/events",
				root);
	}
	return ret ? err_set(err, ret, "failed to read '%s': %s", path, strerror(-ret)) : 0;
}
