// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampler/tracefs.h"

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
	if (code == -EACCES)
		return err_set(err, code, "failed to find the tracepoints: %s", strerror(-code));
	err_set(err, code, "failed to find the tracepoints: tracefs is not mounted");
	return err_hint(err, code, "mount -t tracefs tracefs /sys/kernel/tracing");
}

int tracefs_refuse(const char *const *roots, const char *event, struct err *err)
{
	const char *category = event + (strncmp(event, "t:", 2) ? 0 : 2), *root = NULL;
	int len = strcspn(category, ":"), nr = 0, ret;
	const char *name = category + len + (category[len] == ':');
	struct dirent **entries = NULL;
	struct suggestion suggestion;
	char path[PATH_SIZE];

	err_set(err, -ENOENT, "failed to find event '%s': there is no such tracepoint", event);
	if (!tracefs_find(roots, &root, NULL)) {
		snprintf(path, sizeof(path), "%s/events/%.*s", root, len, category);
		nr = scandir(path, &entries, NULL, alphasort);
	}
	suggestion_init(&suggestion, name);
	for (int i = 0; i < nr; i++)
		suggestion_try(&suggestion, entries[i]->d_name);
	ret = suggestion.best
		      ? err_hint(err, -ENOENT, "did you mean '%.*s:%s'?", len, category,
				 suggestion.best)
		      : err_hint(err, -ENOENT, "the categories and their tracepoints: ls %s/events",
				 roots[0]);
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	return ret;
}
