// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/output/output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"

/* As many links as the kernel follows: MAXSYMLINKS of include/linux/namei.h. */
#define LINKS_MAX 40

/* /dev/stdout leads to a link of procfs, whose text need not be the name of the open file. */
static bool is_proc_link(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Replaces *@path by the name that the link @fd at *@path holds. Returns 0 or a negative errno. */
static int follow_link(int fd, char **path)
{
	_cleanup_free_ char *link = *path;
	const char *slash = strrchr(link, '/');
	char text[PATH_MAX];
	ssize_t n = readlinkat(fd, "", text, sizeof(text) - 1);
	int dir_len;

	*path = NULL;
	if (n < 0)
		return -errno;
	text[n] = '\0';
	dir_len = text[0] != '/' && slash ? (int)(slash + 1 - link) : 0;
	if (asprintf(path, "%.*s%s", dir_len, link, text) >= 0)
		return 0;
	*path = NULL;
	return -ENOMEM;
}

enum target_kind { TARGET_IN_PLACE, TARGET_REPLACED, TARGET_LINK };

/* Sets *@kind to what *@path is; a link is followed by one step. Returns 0 or a negative errno. */
static int look_at(char **path, enum target_kind *kind)
{
	_cleanup_close_ int fd = open(*path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	*kind = TARGET_REPLACED;
	if (fd < 0)
		return errno == ENOENT && (*path)[0] ? 0 : -errno;
	if (fstat(fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode))
		return faccessat(AT_FDCWD, *path, W_OK, AT_EACCESS) ? -errno : 0;
	*kind = S_ISLNK(st.st_mode) && !is_proc_link(fd) ? TARGET_LINK : TARGET_IN_PLACE;
	return *kind == TARGET_LINK ? follow_link(fd, path) : 0;
}

int output_target_find(const char *name, char **path)
{
	_cleanup_free_ char *target = strdup(name);
	enum target_kind kind = TARGET_LINK;
	int ret = target ? 0 : -ENOMEM;

	for (int i = 0; !ret && kind == TARGET_LINK; i++)
		ret = i < LINKS_MAX ? look_at(&target, &kind) : -ELOOP;
	if (!ret)
		*path = kind == TARGET_REPLACED ? TAKE_PTR(target) : NULL;
	return ret;
}
