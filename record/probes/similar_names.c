// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/similar_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/words.h"
#include "record/probes/library.h"
#include "record/probes/name_vec.h"
#include "record/probes/tracepoints.h"
#include "record/probes/user_functions.h"
#include "record/sampling/bpf/tracefs.h"

#define C_LIBRARY "c"

static char any[] = "*";

char *similar_name_in_file(int fd, const struct pattern *pattern)
{
	const struct pattern all = {
		.kind = pattern->kind, .name.text = any, .provider = pattern->provider};
	const bool are_probes = pattern->kind == PATTERN_USDT;
	_cleanup_(name_vec_free) name_vec names = {0};
	struct suggestion similar;
	char *text = NULL;

	if (name_has_wildcards(&pattern->name) || pattern->has_offset ||
	    (are_probes ? usdt_names(fd, &all, &names) : user_functions_names(fd, &all, &names)))
		return NULL;
	name_vec_sort(&names);
	suggestion_init(&similar, pattern->name.text);
	vec_for_each(&names, name) {
		/* PROVIDER:PROBE */
		const char *probe = are_probes ? strchr(*name, ':') : NULL;

		suggestion_try(&similar, probe ? probe + 1 : *name);
	}
	if (!similar.best || asprintf(&text, "%s%s:%s", are_probes ? "u:" : "", pattern->place.text,
				      similar.best) < 0)
		return NULL;
	return text;
}

static char *find_tracepoint(const struct pattern *pattern)
{
	const struct pattern wanted = {.place.text = any, .name = pattern->name};
	tracepoint_vec found = {0};
	char *text = NULL;

	if (!tracepoints_find(&wanted, tracefs_roots, &found, NULL) && found.nr &&
	    asprintf(&text, "t:%s", found.data[0].name) < 0)
		text = NULL;
	tracepoints_free(&found);
	return text;
}

static char *find_in_libc(const struct pattern *pattern, uint32_t pid)
{
	_cleanup_(name_vec_free) name_vec names = {0};
	struct library library;
	char *text = NULL;

	if (library_open(C_LIBRARY, pid, &library, NULL))
		return NULL;
	if (!user_functions_names(library.fd, pattern, &names) && names.nr &&
	    asprintf(&text, C_LIBRARY ":%s", pattern->name.text) < 0)
		text = NULL;
	library_close(&library);
	return text;
}

char *same_name_elsewhere(const struct pattern *pattern, const u32_vec *pids)
{
	char *text;

	if (name_has_wildcards(&pattern->name))
		return NULL;
	text = find_tracepoint(pattern);
	return text ? text : find_in_libc(pattern, pids->nr ? pids->data[0] : 0);
}
