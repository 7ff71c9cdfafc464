// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/words.h"

#define PATH_SIZE 512

#define OPEN_ROOT "/proc/self/fd/%d"

/* Without a descriptor, a directory that never is. */
static char open_root[sizeof(OPEN_ROOT) + 10] = "/proc/self/fd/-1";

const char *const tracefs_roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing", open_root,
				     NULL};

static bool is_there(void)
{
	for (const char *const *root = tracefs_roots; *root; root++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/events", *root);
		if (!access(path, F_OK) || errno == EACCES)
			return true;
	}
	return false;
}

void tracefs_open(void)
{
	_cleanup_close_ int fs = -1;
	int mount;

	if (is_there())
		return;
	fs = fsopen("tracefs", FSOPEN_CLOEXEC);
	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return;
	mount = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	/* The descriptor stays: it is the mount. */
	if (mount >= 0)
		snprintf(open_root, sizeof(open_root), OPEN_ROOT, mount);
}

static const char *reason_of(int code)
{
	return code == -EACCES ? strerror(-code) : "tracefs is not mounted";
}

static int add_hint(int code, struct err *err)
{
	return code == -EACCES
		       ? code
		       : err_hint(err, code, "mount -t tracefs tracefs /sys/kernel/tracing");
}

int tracefs_find(const char *const *roots, const char **root, struct err *err)
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
	err_set(err, code, "failed to find the tracepoints: %s", reason_of(code));
	return add_hint(code, err);
}

/* Returns the entry of the directory @path for which @name may be a slip; the caller frees it. */
static char *find_similar(const char *path, const char *name)
{
	struct dirent **entries = NULL;
	struct suggestion similar;
	int nr = scandir(path, &entries, NULL, alphasort);
	char *best;

	suggestion_init(&similar, name);
	for (int i = 0; i < nr; i++)
		suggestion_try(&similar, entries[i]->d_name);
	best = similar.best ? strdup(similar.best) : NULL;
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	return best;
}

/*
 * Without "t:", the word before the colon may also be meant as a library, which nobody found.
 * @code says why no tracepoints can be read, or is 0.
 */
static int refuse_either(const char *event, int code, struct err *err)
{
	int len = strcspn(event, ":");

	if (!code)
		return err_set(
			err, -ENOENT,
			"failed to find '%s': there is no library and no category of tracepoints '%.*s'",
			event, len, event);
	err_set(err, code,
		"failed to find '%s': there is no library '%.*s', and the tracepoints cannot be read: %s",
		event, len, event, reason_of(code));
	return add_hint(code, err);
}

/* Adds what may be meant by @name: an event of @category, or a category. @path has all of them. */
static int hint_similar(const char *path, const char *name, const char *category, struct err *err)
{
	_cleanup_free_ char *similar = find_similar(path, name);

	if (!similar)
		return err_hint(err, -ENOENT, "'profrec --list t:%s%s' lists the tracepoints",
				category ? category : "", category ? ":" : "");
	return category ? err_hint(err, -ENOENT, "did you mean '%s:%s'?", category, similar)
			: err_hint(err, -ENOENT, "did you mean the category '%s'?", similar);
}

int tracefs_refuse(const char *const *roots, const char *event, struct err *err)
{
	const bool is_typed = !strncmp(event, "t:", 2);
	const char *text = event + (is_typed ? 2 : 0), *root = NULL, *name = strchrnul(text, ':');
	_cleanup_free_ char *category = strndup(text, name - text);
	char path[PATH_SIZE];
	bool has_category;
	int ret = tracefs_find(roots, &root, err);

	if (ret)
		return is_typed ? ret : refuse_either(event, ret, err);
	snprintf(path, sizeof(path), "%s/events/%s", root, category ? category : "");
	has_category = category && *category && !access(path, F_OK);
	if (is_typed || has_category)
		err_set(err, -ENOENT, "failed to find event '%s': there is no such tracepoint",
			event);
	else
		refuse_either(event, 0, err);
	if (has_category)
		return hint_similar(path, name + (*name == ':'), category, err);
	snprintf(path, sizeof(path), "%s/events", root);
	return hint_similar(path, category ? category : "", NULL, err);
}
