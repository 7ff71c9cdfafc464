// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/safeopen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/vec.h"

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* openat2 gives up with EAGAIN when something is renamed while it looks. */
#define OPENAT2_TRIES 8

/* The component at *@path, which moves behind it; returns its length, 0 at the end. */
static size_t next_component(const char **path, char name[static NAME_MAX + 1])
{
	size_t len;

	*path += strspn(*path, "/");
	len = strcspn(*path, "/");
	if (len > NAME_MAX)
		return len;
	memcpy(name, *path, len);
	name[len] = '\0';
	*path += len;
	return len;
}

int safe_open_walk(int root_fd, const char *path)
{
	_cleanup_close_ int dir = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);
	char name[NAME_MAX + 1];

	if (dir < 0)
		return -errno;
	for (;;) {
		size_t len = next_component(&path, name);
		bool is_last = !path[strspn(path, "/")];
		int fd;

		if (!len || len > NAME_MAX || !strcmp(name, ".."))
			return -ENOENT;
		fd = openat(dir, name,
			    O_NOFOLLOW | (is_last ? OPEN_FLAGS : O_PATH | O_DIRECTORY | O_CLOEXEC));
		if (fd < 0)
			return -errno;
		if (is_last)
			return fd;
		close(dir);
		dir = fd;
	}
}

static int open_in_root(int root_fd, const char *path)
{
	struct open_how how = {
		.flags = OPEN_FLAGS,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = -1;

	for (int i = 0; i < OPENAT2_TRIES; i++) {
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	if (fd >= 0)
		return fd;
	/* EPERM: sandboxes that do not know the call. */
	return errno == ENOSYS || errno == EPERM ? safe_open_walk(root_fd, path) : -errno;
}

/*
 * Opening a device can do things (a watchdog starts, a tape rewinds), so what is there is looked
 * at first; safe_open looks again at what it got.
 */
static int open_on_host(const char *path)
{
	struct stat st;
	int fd;

	if (path[0] != '/')
		return -ENOENT;
	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, OPEN_FLAGS);
	return fd < 0 ? -errno : fd;
}

int safe_open(int root_fd, const char *path)
{
	_cleanup_close_ int fd = root_fd < 0 ? open_on_host(path) : open_in_root(root_fd, path);
	struct stat st;

	if (fd == -ENOTDIR || fd == -ENAMETOOLONG)
		return -ENOENT;
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	/* Files of procfs and tracefs say that they are empty; reading those may block or consume.
	 */
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return -EINVAL;
	return TAKE_FD(fd);
}
