// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/list_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "record/probes/attach.h"
#include "record/probes/kernel_entries.h"
#include "record/probes/kernel_functions.h"
#include "record/probes/kernel_way.h"
#include "record/probes/library.h"
#include "record/probes/mapped_code.h"
#include "record/probes/name_vec.h"
#include "record/probes/pattern.h"
#include "record/probes/tracepoints.h"
#include "record/probes/user_functions.h"
#include "record/sampling/bpf/event_names.h"
#include "record/sampling/bpf/tracefs.h"
#include "record/host/privilege.h"

struct listing {
	const struct record_options *options;
	uint64_t nr; /* lines that were printed */
	struct err *err;
};

static int out_of_memory(struct listing *l)
{
	return err_set(l->err, -ENOMEM, "failed to list the events: out of memory");
}

/* Says what is not in the list, unless the user wants errors only. */
static void note(const struct listing *l, const char *what, const char *why)
{
	if (l->options->quiet)
		return;
	fprintf(stderr, "profrec: not listed: %s: ", what);
	text_print(stderr, why, TEXT_MESSAGE);
	fputc('\n', stderr);
}

/* Prints @before and @name, which may be made up by whoever made a file. */
static void print(struct listing *l, const char *before, const char *name)
{
	text_print(stdout, before, TEXT_PLAIN);
	text_print(stdout, name, TEXT_PLAIN);
	putchar('\n');
	l->nr++;
}

/* Prints each name once. */
static void print_all(struct listing *l, const char *before, name_vec *names)
{
	name_vec_sort(names);
	for (size_t i = 0; i < names->nr; i++)
		if (!i || strcmp(names->data[i], names->data[i - 1]) != 0)
			print(l, before, names->data[i]);
}

/* Text without * may be anywhere in a name. Returns new memory. */
static char *make_wild(const char *text)
{
	char *wild = NULL;
	const char *star = strchr(text, '*') ? "" : "*";

	return asprintf(&wild, "%s%s%s", star, text, star) < 0 ? NULL : wild;
}

/* Can the calling thread count the event? Returns 0 or a negative errno. */
static int try_event(const struct event_name *event)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = event->type,
				       .config = event->config,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Events that perf samples. Software events are in each kernel. */
static void list_perf_events(struct listing *l, const struct name_match *wanted)
{
	struct event_name event, last = {0};
	const char *name;
	int missing = 0;

	for (size_t i = 0; (name = word_list_get(&event_names, i)); i++) {
		bool is_other_name;
		int ret;

		if (event_name_parse(name, &event))
			continue;
		is_other_name = i && event.type == last.type && event.config == last.config;
		last = event;
		if (is_other_name || !name_matches(wanted, name))
			continue;
		ret = event.type == PERF_TYPE_HARDWARE ? try_event(&event) : 0;
		if (!ret)
			print(l, "", name);
		else if (!missing)
			missing = ret;
	}
	if (missing == -EACCES || missing == -EPERM)
		note(l, "hardware events", strerror(-missing));
	else if (missing)
		note(l, "hardware events", "this host does not have all of them");
}

/* @wanted matches CATEGORY:EVENT. */
static int list_tracepoints(struct listing *l, const char *before, const struct name_match *wanted)
{
	static char any[] = "*";
	const struct pattern all = {.place.text = any, .name.text = any};
	tracepoint_vec found = {0};
	struct err err = {0};
	int ret = tracepoints_find(&all, tracefs_roots, &found, &err);

	vec_for_each(&found, t)
		if (name_matches(wanted, t->name))
			print(l, before, t->name);
	tracepoints_free(&found);
	if (ret == -ENOMEM)
		return out_of_memory(l);
	if (ret)
		note(l, "tracepoints", err.text);
	return 0;
}

/* The functions that probes can be attached to in the way that this kernel has. */
static int name_functions(const struct pattern *pattern, const struct kernel_functions *functions,
			  name_vec *names, struct err *err)
{
	enum kernel_way way = KERNEL_BY_ANY;
	const char *reason;
	u32_vec entries = {0};
	int ret = kernel_way_choose(&way, &reason);

	if (!ret && way != KERNEL_BY_FENTRY)
		return kernel_functions_list(pattern, functions, names, err);
	if (!ret)
		ret = kernel_entries_find(pattern, functions, &entries, names, err);
	if (!ret && entries.nr) {
		ret = attach_check_entry(entries.data[0]);
		if (ret) {
			name_vec_free(names);
			err_set(err, ret, "%s: %s", reason, strerror(-ret));
		}
	}
	vec_free(&entries);
	return ret;
}

static int list_kernel_functions(struct listing *l, const char *before,
				 const struct name_match *wanted)
{
	const struct pattern pattern = {.kind = PATTERN_KERNEL, .name.text = wanted->text};
	_cleanup_(kernel_functions_deinit) struct kernel_functions found = {0};
	_cleanup_(name_vec_free) name_vec names = {0};
	struct err err = {0};
	int ret = kernel_functions_find(&pattern, &found, &err);

	if (!ret && found.addrs.nr)
		ret = name_functions(&pattern, &found, &names, &err);
	print_all(l, before, &names);
	if (ret == -ENOMEM)
		return out_of_memory(l);
	if (ret)
		note(l, "functions of the kernel", err.text);
	else if (found.are_hidden)
		note(l, "functions of the kernel", privilege_hides_kallsyms());
	return 0;
}

/* The functions, or the static probes, of the open file. @before is the text before each name. */
static int list_file(struct listing *l, int fd, const char *before, bool are_probes,
		     const struct name_match *wanted)
{
	static char any[] = "*";
	const struct pattern pattern = {.kind = are_probes ? PATTERN_USDT : PATTERN_USER,
					.name.text = are_probes ? any : wanted->text};
	_cleanup_(name_vec_free) name_vec names = {0};
	size_t nr = 0;
	int ret = are_probes ? usdt_names(fd, &pattern, &names)
			     : user_functions_names(fd, &pattern, &names);

	/* A probe's name is PROVIDER:PROBE. */
	for (size_t i = 0; i < names.nr; i++)
		if (name_matches(wanted, names.data[i]))
			names.data[nr++] = names.data[i];
		else
			free(names.data[i]);
	names.nr = nr;
	print_all(l, before, &names);
	return ret;
}

/* The same of a library, as each of the processes sees it. */
static int list_library(struct listing *l, const char *library, bool are_probes,
			const struct name_match *wanted)
{
	const u32_vec *pids = &l->options->pids;
	_cleanup_free_ char *before = NULL;
	int ret = 0;

	if (asprintf(&before, "%s%s:", are_probes ? "u:" : "", library) < 0) {
		before = NULL;
		return out_of_memory(l);
	}
	for (size_t i = 0; !ret && i < (pids->nr ? pids->nr : 1); i++) {
		struct library file;

		ret = library_open(library, pids->nr ? pids->data[i] : 0, &file, l->err);
		if (ret)
			return ret;
		ret = list_file(l, file.fd, before, are_probes, wanted);
		if (ret)
			err_set(l->err, ret, "failed to read '%s': %s", file.path,
				ret == -ENOEXEC ? "not a whole ELF file of 64 bits"
						: strerror(-ret));
		library_close(&file);
	}
	return ret;
}

/* The static probes of a mapped file, by its name alone. */
static int list_mapped(struct listing *l, uint32_t pid, const struct mapped_code *code,
		       const struct name_match *wanted)
{
	_cleanup_close_ int fd = mapped_code_open(pid, code);
	_cleanup_free_ char *name = mapped_code_name(code->path), *before = NULL;
	struct library file;
	int ret;

	/* Mapped files themselves are for privileged users. */
	if (fd < 0 && !library_open(code->path, pid, &file, NULL)) {
		fd = TAKE_FD(file.fd);
		library_close(&file);
	}
	if (!name || asprintf(&before, "u:%s:", name) < 0) {
		before = NULL;
		return out_of_memory(l);
	}
	if (fd < 0) {
		note(l, code->path, "it cannot be opened");
		return 0;
	}
	ret = list_file(l, fd, before, true, wanted);
	return ret == -ENOMEM ? out_of_memory(l) : 0; /* a file that is no ELF file has none */
}

static int list_processes(struct listing *l, const struct name_match *wanted)
{
	vec_for_each(&l->options->pids, pid) {
		_cleanup_(mapped_code_free) mapped_code_vec code = {0};
		int ret = mapped_code_read(*pid, &code);

		if (ret)
			return err_set(l->err, ret, "failed to read the mappings of process %u: %s",
				       *pid, strerror(-ret));
		for (size_t i = 0; i < code.nr; i++) {
			if (i && !strcmp(code.data[i].path, code.data[i - 1].path))
				continue;
			ret = list_mapped(l, *pid, &code.data[i], wanted);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* A name, which may be of any kind; functions of the kernel only where @text is not empty. */
static int list_any(struct listing *l, const char *text, const struct name_match *wanted)
{
	int ret;

	list_perf_events(l, wanted);
	ret = list_tracepoints(l, "t:", wanted);
	if (!ret && *text)
		ret = list_kernel_functions(l, "", wanted);
	return ret ? ret : list_processes(l, wanted);
}

/* CATEGORY:EVENT, which @whole matches, or LIB:FUNC. @whole is NULL: LIB:FUNC alone is meant. */
static int list_either(struct listing *l, const char *text, const struct name_match *whole,
		       const struct name_match *name)
{
	_cleanup_free_ char *place = strndup(text, strcspn(text, ":"));
	struct name_match category = {.text = place};

	if (!place)
		return out_of_memory(l);
	if (whole && !strchr(place, '/') && tracepoints_have_category(&category, tracefs_roots))
		return list_tracepoints(l, "", whole);
	return list_library(l, place, false, name);
}

/* u:LIB, u:LIB:PROBE or u:LIB:PROVIDER:PROBE; @text begins after "u:". */
static int list_probes(struct listing *l, const char *text)
{
	const char *name = strchrnul(text, ':');
	_cleanup_free_ char *library = strndup(text, name - text);
	_cleanup_free_ char *wild = NULL;

	name += *name == ':';
	/* A pattern of the probe alone leaves the provider open. */
	if (strchr(name, ':') || !strchr(name, '*'))
		wild = make_wild(name);
	else if (asprintf(&wild, "*:%s", name) < 0)
		wild = NULL;
	if (!library || !wild)
		return out_of_memory(l);
	return list_library(l, library, true, &(struct name_match){.text = wild});
}

static int list_pattern(struct listing *l, const char *pattern)
{
	const bool is_typed = pattern[0] && pattern[1] == ':' && strchr("tpu", pattern[0]);
	const char *text = pattern + (is_typed ? 2 : 0), *colon = strchr(text, ':');
	const char *name = colon ? colon + 1 : text;
	_cleanup_free_ char *wild = make_wild(name), *both = NULL;
	struct name_match wanted = {.text = wild}, whole = {0};

	/* The category as it is, and the event. */
	if (wild && asprintf(&both, "%.*s%s", colon ? (int)(colon + 1 - text) : 0, text, wild) < 0)
		both = NULL;
	if (!both)
		return out_of_memory(l);
	whole.text = both;
	if (is_typed && pattern[0] == 'u')
		return list_probes(l, text);
	if (is_typed && pattern[0] == 't')
		return list_tracepoints(l, "t:", &whole);
	if (is_typed && colon == text)
		return list_kernel_functions(l, "p::", &wanted);
	if (colon)
		return list_either(l, text, is_typed ? NULL : &whole, &wanted);
	if (l->options->library)
		return list_library(l, l->options->library, false, &wanted);
	if (strchr(text, '/'))
		return list_probes(l, text);
	return list_any(l, text, &wanted);
}

int list_events(const struct record_options *options, struct err *err)
{
	struct listing l = {.options = options, .err = err};
	char *everything[] = {(char[]){""}, NULL};
	char **pattern = options->patterns_listed[0] ? options->patterns_listed : everything;

	tracefs_open();
	for (; *pattern; pattern++) {
		uint64_t nr = l.nr;
		_cleanup_free_ char *translated = NULL;
		int ret = pattern_translate(*pattern, &translated, err);

		if (!ret)
			ret = list_pattern(&l, translated ? translated : *pattern);
		if (ret)
			return ret;
		if (l.nr == nr) {
			err_set(err, -ENOENT, "failed to list '%s': nothing matches", *pattern);
			return err_hint(
				err, -ENOENT,
				"give a part of a name, t:CATEGORY:EVENT, LIB:FUNC, u:LIB:PROBE, p::FUNC or the path of a file; * stands for any text");
		}
	}
	if (fflush(stdout))
		return err_set(err, -errno, "failed to write the list: %m");
	return 0;
}
