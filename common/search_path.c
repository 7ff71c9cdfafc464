// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/search_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool search_path_has(const char *word)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(word, '/'))
		return is_executable(word);
	while (*word && dirs && *dirs) {
		int len = strcspn(dirs, ":");

		if (snprintf(path, sizeof(path), "%.*s/%s", len, dirs, word) < PATH_MAX &&
		    is_executable(path))
			return true;
		dirs += len + !!dirs[len];
	}
	return false;
}
