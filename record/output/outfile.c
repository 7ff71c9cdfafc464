// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/parse.h"
#include "common/part_file.h"
#include "record/output/outname.h"

/* Most symbolic links of one name, as the kernel has it (path_resolution(7)). */
#define LINKS_MAX 40

/* Files that get one name, since their recordings begin in one second. More are a mistake. */
#define NUMBERS_MAX 10000

static int open_stdout(struct outfile *out, struct err *err)
{
	if (isatty(STDOUT_FILENO)) {
		err_set(err, -EINVAL, "failed to write to standard output: it is a terminal");
		return err_hint(err, -EINVAL, "redirect it, or pipe it into 'profrep -'");
	}
	out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return out->fd < 0 ? err_set(err, -errno, "failed to write to standard output: %m") : 0;
}

/* The directory of @path: "." for "app.prof", "/" for "/app.prof". The caller frees the string. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : slash - path);
}

/* Returns where the symbolic link that is open at @fd, and has the name @path, leads, or NULL. */
static char *read_link(int fd, const char *path)
{
	_cleanup_free_ char *dir = directory_of(path);
	char text[PATH_MAX], *target = NULL;
	ssize_t len = readlinkat(fd, "", text, sizeof(text) - 1);

	if (len <= 0 || !dir)
		return NULL;
	text[len] = '\0';
	if (text[0] == '/')
		return strdup(text);
	return asprintf(&target, "%s/%s", dir, text) < 0 ? NULL : target;
}

static int refuse_target(const char *path, struct err *err)
{
	err_set(err, -EINVAL, "failed to write '%s': it is not a regular file", path);
	return err_hint(err, -EINVAL, "use '-o -' to write to standard output, and redirect that");
}

/*
 * Follows one link of @path. In a directory where others may write, they could put a link that
 * leads to any file of this user. So the link must be this user's. The same link is looked at and
 * read, whatever has its name by then.
 */
static int follow_link(char **path, struct err *err)
{
	_cleanup_close_ int fd = open(*path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	char *target;

	if (fd < 0 || fstat(fd, &st) || !S_ISLNK(st.st_mode))
		return refuse_target(*path, err);
	if (st.st_uid != geteuid()) {
		err_set(err, -EPERM,
			"failed to write '%s': it is a symbolic link of another user, %u", *path,
			st.st_uid);
		return err_hint(err, -EPERM, "name the file that it leads to");
	}
	target = read_link(fd, *path);
	if (!target)
		return err_set(err, -EIO, "failed to read the symbolic link '%s'", *path);
	free(*path);
	*path = target;
	return 0;
}

/*
 * Sets *@target to the file that @path means: itself, or what links lead to. A file of this name,
 * if there is one, must be a regular file, which may be replaced.
 */
static int find_target(const char *path, char **target, struct err *err)
{
	_cleanup_free_ char *name = strdup(path);
	int ret = 0;

	if (!name)
		return err_set(err, -ENOMEM, "failed to write '%s': out of memory", path);
	if (!path[0])
		return err_set(err, -ENOENT, "failed to write '': %s", strerror(ENOENT));
	for (int i = 0; i < LINKS_MAX && !ret; i++) {
		struct stat st;
		bool is_there = !lstat(name, &st);

		if (!is_there && errno != ENOENT)
			return err_set(err, -errno, "failed to write '%s': %m", path);
		if (!is_there || S_ISREG(st.st_mode)) {
			*target = TAKE_PTR(name);
			return 0;
		}
		ret = S_ISLNK(st.st_mode) ? follow_link(&name, err) : refuse_target(path, err);
	}
	return ret ? ret : err_set(err, -ELOOP, "failed to write '%s': %s", path, strerror(ELOOP));
}

/* Reads the user id or the group id in variable @name, which sudo(8) sets. */
static bool read_id(const char *name, uint32_t *id)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || parse_u64(text, 1, UINT32_MAX - 1, &value))
		return false;
	*id = value;
	return true;
}

/*
 * Root's file in the directory of the user who called sudo(8) is of no use to that user. So the
 * user gets a file that replaces none of another user. The file is the one that was created,
 * whatever has its name by then, and the directory's owner could have put any file there. If the
 * file system refuses, the file stays root's.
 */
static void give_to_caller(struct outfile *out)
{
	_cleanup_free_ char *dir = directory_of(out->path);
	uint32_t uid, gid;
	struct stat st;

	if (geteuid() || !read_id("SUDO_UID", &uid) || !read_id("SUDO_GID", &gid))
		return;
	if (!dir || stat(dir, &st) || st.st_uid != uid)
		return;
	if (lstat(out->path, &st) ? errno != ENOENT : st.st_uid != uid)
		return;
	out->is_given = !fchown(out->fd, uid, gid);
}

static int open_part(struct outfile *out, const char *path, struct err *err)
{
	_cleanup_free_ char *part = NULL;
	_cleanup_free_ char *name = strdup(path);
	int ret;

	ret = name ? part_file_create(path, &out->fd, &part) : -ENOMEM;
	/* The user knows the file by the name that it will have, which may be short enough. */
	if (ret)
		return err_set(err, ret, "failed to create '%s': %s",
			       ret == -ENAMETOOLONG && part ? part : path, strerror(-ret));
	out->path = TAKE_PTR(name);
	out->part_path = TAKE_PTR(part);
	give_to_caller(out);
	return 0;
}

int outfile_open(struct outfile *out, const char *path, struct err *err)
{
	_cleanup_free_ char *target = NULL;
	int ret;

	*out = (struct outfile){.fd = -1, .err = err};
	if (!strcmp(path, "-"))
		return open_stdout(out, err);
	ret = find_target(path, &target, err);
	return ret ? ret : open_part(out, target, err);
}

int outfile_open_new(struct outfile *out, const char *path, struct err *err)
{
	*out = (struct outfile){.fd = -1, .err = err, .is_new = true};
	return open_part(out, path, err);
}

static const char *target_name(const struct outfile *out)
{
	return out->part_path ? out->part_path : "standard output";
}

int outfile_write(void *ctx, const void *buf, size_t len)
{
	struct outfile *out = ctx;
	const char *p = buf;

	while (len) {
		/* A pipe that polls writable takes PIPE_BUF bytes without blocking: pipe(7). */
		size_t part = out->wait && len > PIPE_BUF ? PIPE_BUF : len;
		int ret = out->wait ? out->wait(out->wait_ctx, out->fd) : 0;
		ssize_t n;

		if (ret)
			return ret;
		n = write(out->fd, p, part);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			/* Another process may have made the pipe non-blocking. */
			struct pollfd pfd = {.fd = out->fd, .events = POLLOUT};

			poll(&pfd, 1, -1);
			continue;
		}
		out->is_unread |= n < 0 && errno == EPIPE;
		if (n < 0)
			return err_set(out->err, -errno, "failed to write '%s': %m",
				       target_name(out));
		p += n;
		len -= n;
	}
	return 0;
}

bool outfile_may_create(const struct outfile *out)
{
	_cleanup_free_ char *dir = NULL;

	if (!out->path)
		return true;
	dir = directory_of(out->path);
	return dir && !faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS);
}

/* The kernel has this rule in check_sticky() of fs/namei.c. */
bool outfile_may_replace(const struct outfile *out)
{
	_cleanup_free_ char *dir = NULL;
	struct stat dir_st, st;

	if (!out->path || (!out->is_given && lstat(out->path, &st) && errno == ENOENT))
		return true;
	dir = directory_of(out->path);
	/* A file that was given away is another user's already. */
	if (!dir || stat(dir, &dir_st) || lstat(out->is_given ? out->part_path : out->path, &st))
		return false;
	return !(dir_st.st_mode & S_ISVTX) || st.st_uid == geteuid() || dir_st.st_uid == geteuid();
}

/* Renames @from to @to, unless there is a file @to. Returns 0 or a negative errno. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL)
		return -errno;
	/* NFS and some other file systems lack the flag. There make a link: it replaces no file. */
	if (link(from, to))
		return -errno;
	return unlink(from) ? -errno : 0;
}

/* Takes the first name that is free: "a.prof", "a_1.prof", "a_2.prof" ... */
static int take_free_name(struct outfile *out, struct err *err)
{
	int ret = -EEXIST;

	for (unsigned int number = 0; ret == -EEXIST && number < NUMBERS_MAX; number++) {
		_cleanup_free_ char *name = outname_number(out->path, number);

		if (!name)
			return err_set(err, -ENOMEM, "failed to write '%s': out of memory",
				       out->path);
		ret = rename_new(out->part_path, name);
		if (!ret) {
			free(out->path);
			out->path = TAKE_PTR(name);
		}
	}
	return ret ? err_set(err, ret, "failed to rename '%s' to '%s': %s", out->part_path,
			     out->path, strerror(-ret))
		   : 0;
}

static int take_name(struct outfile *out, struct err *err)
{
	if (out->is_new)
		return take_free_name(out, err);
	if (rename(out->part_path, out->path))
		return err_set(err, -errno, "failed to rename '%s' to '%s': %m", out->part_path,
			       out->path);
	return 0;
}

/* Without this the machine may lose the name of the recording in a crash. */
static int sync_directory(const struct outfile *out, struct err *err)
{
	_cleanup_free_ char *dir = directory_of(out->path);
	_cleanup_close_ int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	/*
	 * A directory that this process may not read cannot be opened, and some file systems cannot
	 * sync directories. Neither is an error.
	 */
	if (fd < 0 || !fsync(fd) || errno == EINVAL || errno == EROFS)
		return 0;
	return err_set(err, -errno, "failed to sync '%s': %m", dir);
}

int outfile_publish(struct outfile *out, struct err *err)
{
	int ret;

	if (!out->path)
		return 0;
	/* Some file systems cannot sync. */
	if (fdatasync(out->fd) && errno != EINVAL && errno != EROFS)
		return err_set(err, -errno, "failed to write '%s': %m", out->part_path);
	ret = take_name(out, err);
	if (ret)
		return ret;
	free(out->part_path);
	out->part_path = NULL;
	return sync_directory(out, err);
}

void outfile_close(struct outfile *out, bool keep)
{
	cleanup_close(&out->fd);
	if (out->part_path && !keep)
		unlink(out->part_path);
	else if (out->part_path)
		err_hint(out->err, 0, "what was recorded until then is in '%s'; profrep reads it",
			 out->part_path);
	free(out->part_path);
	free(out->path);
	*out = (struct outfile){.fd = -1};
}
