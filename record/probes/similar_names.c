// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/similar_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/words.h"
#include "record/probes/kernel_functions.h"
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

/* Adds the names of the C library's functions that @pattern matches. */
static int add_libc_names(const struct pattern *pattern, uint32_t pid, name_vec *names)
{
	struct library library;
	int ret = library_open(C_LIBRARY, pid, &library, NULL);

	if (ret)
		return ret;
	ret = user_functions_names(library.fd, pattern, names);
	library_close(&library);
	return ret;
}

static char *find_in_libc(const struct pattern *pattern, uint32_t pid)
{
	_cleanup_(name_vec_free) name_vec names = {0};
	char *text = NULL;

	if (!add_libc_names(pattern, pid, &names) && names.nr &&
	    asprintf(&text, C_LIBRARY ":%s", pattern->name.text) < 0)
		text = NULL;
	return text;
}

/* A function of the kernel wins over one of the C library with as many slips. */
static char *find_similar(const struct pattern *pattern, uint32_t pid)
{
	const struct pattern all = {.kind = PATTERN_USER, .name.text = any};
	_cleanup_(name_vec_free) name_vec names = {0};
	_cleanup_free_ char *in_kernel = NULL;
	struct suggestion similar;
	char *text = NULL;

	suggestion_init(&similar, pattern->name.text);
	in_kernel = kernel_functions_suggest(&similar);
	if (add_libc_names(&all, pid, &names))
		name_vec_free(&names);
	name_vec_sort(&names);
	vec_for_each(&names, name)
		suggestion_try(&similar, *name);
	if (!similar.best || asprintf(&text, "%s%s", similar.best == in_kernel ? "" : C_LIBRARY ":",
				      similar.best) < 0)
		return NULL;
	return text;
}

char *meant_by_function(const struct pattern *pattern, const u32_vec *pids)
{
	const uint32_t pid = pids->nr ? pids->data[0] : 0;
	char *text;

	if (name_has_wildcards(&pattern->name))
		return NULL;
	text = find_tracepoint(pattern);
	if (!text)
		text = find_in_libc(pattern, pid);
	return text ? text : find_similar(pattern, pid);
}
