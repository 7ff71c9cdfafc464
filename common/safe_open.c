// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/safe_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* openat2 fails with EAGAIN if something is renamed during the lookup. */
#define OPENAT2_TRIES 8

/* Takes the component at *@path, and moves *@path past it. Returns its length, 0 at the end. */
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

int safe_open_walk(int root_fd, const char *path, int flags)
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
			    O_NOFOLLOW | O_CLOEXEC | (is_last ? flags : O_PATH | O_DIRECTORY));
		if (fd < 0)
			return -errno;
		if (is_last)
			return fd;
		close(dir);
		dir = fd;
	}
}

int safe_open_in_root(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
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
	/* ENOSYS: before Linux 5.6. EPERM: sandboxes that do not know the call. */
	return errno == ENOSYS || errno == EPERM ? safe_open_walk(root_fd, path, flags) : -errno;
}

static int look_up(int dir_fd, const char *path, enum safe_open_lookup lookup, int flags)
{
	int fd;

	if (lookup == SAFE_OPEN_IN_ROOT)
		return safe_open_in_root(dir_fd, path, flags);
	fd = openat(dir_fd, path, flags | (lookup == SAFE_OPEN_NO_LINK ? O_NOFOLLOW : 0));
	return fd < 0 ? -errno : fd;
}

static int check_file(const struct stat *st, const struct safe_open_rules *rules)
{
	if (!S_ISREG(st->st_mode) || (rules->not_empty && !st->st_size))
		return -EINVAL;
	if (rules->inode && st->st_ino != rules->inode)
		return -ESTALE;
	if (rules->owner && st->st_uid != 0 && st->st_uid != *rules->owner)
		return -EPERM;
	if (rules->max_bytes && (uint64_t)st->st_size > rules->max_bytes)
		return -EFBIG;
	return 0;
}

/*
 * Without /proc only the name can be opened. It may name a different file by now, so the file is
 * compared with @seen.
 */
static int open_again(int dir_fd, const char *path, enum safe_open_lookup lookup,
		      const struct stat *seen)
{
	_cleanup_close_ int fd = look_up(dir_fd, path, lookup, OPEN_FLAGS);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (!is_same_file(&st, seen) || !S_ISREG(st.st_mode))
		return -ESTALE;
	return TAKE_FD(fd);
}

int safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules)
{
	_cleanup_close_ int found = look_up(dir_fd, path, rules->lookup, O_PATH | O_CLOEXEC);
	char link[sizeof("/proc/self/fd/") + 10];
	struct stat st;
	int fd, ret;

	if (found < 0)
		return found;
	if (fstat(found, &st))
		return -errno;
	ret = check_file(&st, rules);
	if (ret)
		return ret;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	fd = open(link, OPEN_FLAGS);
	if (fd < 0 && errno == ENOENT)
		return open_again(dir_fd, path, rules->lookup, &st);
	return fd < 0 ? -errno : fd;
}
