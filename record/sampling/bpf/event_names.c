// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/event_names.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/parse.h"
#include "common/readfile.h"

#define RAW_DIGITS_MAX 16 /* perf_event_attr.config has 64 bits */

#define PATH_SIZE 512

#define HARDWARE(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SOFTWARE(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

/* All modifiers of perf (perf-list(1)). The recorder supports u and k. */
#define MODIFIERS "ukhIGHpPSDWRbe"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool every;
} names[] = {
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

static const char *known_name(size_t i)
{
	return i < ARRAY_SIZE(names) ? names[i].name : NULL;
}

const struct word_list event_names = {.word = known_name};

static bool find_known(const char *text, size_t len, struct event_name *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i].name) != len || strncmp(names[i].name, text, len))
			continue;
		event->type = names[i].type;
		event->config = names[i].config;
		event->every = names[i].every;
		return true;
	}
	return false;
}

static bool parse_raw(const char *text, size_t len, struct event_name *event)
{
	size_t digits = strspn(text + (len > 0), "0123456789abcdefABCDEF");

	if (text[0] != 'r' || !digits || digits > RAW_DIGITS_MAX || 1 + digits != len)
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(text + 1, NULL, 16);
	return true;
}

static bool are_modifiers(const char *text)
{
	return *text && !text[strspn(text, MODIFIERS)];
}

static int apply_modifiers(const char *text, struct event_name *event)
{
	if (text[strspn(text, "uk")])
		return -EOPNOTSUPP;
	event->no_kernel = !strchr(text, 'k');
	event->no_user = !strchr(text, 'u');
	return 0;
}

/* Category and name become parts of a path, so they must not have dots and slashes. */
static size_t word_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return n;
}

/* Returns the end of the tracepoint's name, or NULL if @text does not begin with one. */
static const char *skip_tracepoint(const char *text)
{
	size_t category = word_length(text);
	size_t name;

	if (!category || text[category] != ':')
		return NULL;
	name = word_length(text + category + 1);
	return name && category + name < PATH_SIZE / 2 ? text + category + 1 + name : NULL;
}

int event_name_parse(const char *text, struct event_name *event)
{
	struct event_name found = {.name = text};
	size_t len = strcspn(text, ":");
	const char *end = text + len;
	int ret = 0;

	if ((find_known(text, len, &found) || parse_raw(text, len, &found)) &&
	    (!*end || are_modifiers(end + 1))) {
		if (*end)
			ret = apply_modifiers(end + 1, &found);
	} else {
		found = (struct event_name){
			.name = text, .type = PERF_TYPE_TRACEPOINT, .every = true};
		end = skip_tracepoint(text);
		/*
		 * Tracepoints have no modifiers: the BPF program runs for every hit, also for hits
		 * that the event excludes.
		 */
		if (!end || *end)
			ret = end && *end == ':' && are_modifiers(end + 1) ? -EOPNOTSUPP : -EINVAL;
	}
	if (!ret)
		*event = found;
	return ret;
}

int event_name_find_id(struct event_name *event, const char *const *roots, struct err *err)
{
	int category = strcspn(event->name, ":");
	const char *name = event->name + category + 1, *root = NULL;
	char path[PATH_SIZE];
	char_vec text = {0};
	int ret = tracefs_find(roots, &root, NULL);

	if (ret)
		return tracefs_refuse(roots, event->name, err);
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", root, category, event->name, name);
	ret = read_file(path, sizeof(path), &text);
	if (!ret) {
		text.data[strcspn(text.data, "\n")] = '\0';
		if (parse_u64(text.data, 0, UINT32_MAX, &event->config))
			ret = -EIO;
	}
	vec_free(&text);
	if (ret == -ENOENT)
		return tracefs_refuse(roots, event->name, err);
	return ret ? err_set(err, ret, "failed to read '%s': %s", path, strerror(-ret)) : 0;
}
