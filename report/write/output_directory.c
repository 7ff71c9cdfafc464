// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/output_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/write/signal_cleanup.h"

/* The part to remove when a signal ends the process; NULL: none. */
static struct output_directory *volatile directory_at_signal;

static void remove_part(void)
{
	const struct output_directory *d = directory_at_signal;

	if (!d)
		return;
	for (size_t i = 0; i < d->nr_files; i++)
		unlinkat(d->fd, d->files[i], 0);
	rmdir(d->part);
}

/* Returns 0 if @name may become a new directory: there is none, or an empty one. */
static int check_name(const char *name, struct err *err)
{
	DIR *dir = opendir(name);
	const struct dirent *entry;
	int ret = dir || errno == ENOENT ? 0 : -errno;

	while (dir && !ret && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			ret = -ENOTEMPTY;
	if (dir)
		closedir(dir);
	return ret ? err_set(err, ret, "failed to create '%s': %s", name, strerror(-ret)) : 0;
}

static int create_files(struct output_directory *d)
{
	for (size_t i = 0; i < d->nr_files; i++) {
		d->fds[i] = openat(d->fd, d->files[i],
				   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (d->fds[i] < 0)
			return -errno;
	}
	return 0;
}

/* Makes the names: that of the user without slashes at its end, and that of the part. */
static int make_names(struct output_directory *d, const char *name)
{
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	d->name = strndup(name, len);
	d->fds = malloc(d->nr_files * sizeof(*d->fds));
	if (!d->name || !d->fds || asprintf(&d->part, "%s.%d.part", d->name, getpid()) < 0) {
		d->part = NULL;
		return -ENOMEM;
	}
	for (size_t i = 0; i < d->nr_files; i++)
		d->fds[i] = -1;
	return 0;
}

static int make_directory(struct output_directory *d)
{
	if (mkdir(d->part, 0777))
		return -errno;
	d->fd = open(d->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0) {
		int ret = -errno;

		rmdir(d->part);
		return ret;
	}
	directory_at_signal = d;
	signal_cleanup_set(remove_part);
	return 0;
}

static int create_part(struct output_directory *d)
{
	sigset_t before;
	int ret;

	signal_cleanup_defer(&before);
	ret = make_directory(d);
	signal_cleanup_allow(&before);
	return ret ? ret : create_files(d);
}

static void release(struct output_directory *d)
{
	directory_at_signal = NULL;
	if (d->fd >= 0)
		close(d->fd);
	free(d->name);
	free(d->part);
	free(d->fds);
}

int output_directory_open(struct output_directory *directory, const char *name,
			  const char *const *files, size_t nr, struct err *err)
{
	struct output_directory *d = directory;
	int ret = check_name(name, err);

	if (ret)
		return ret;
	*d = (struct output_directory){.files = files, .nr_files = nr, .fd = -1};
	ret = make_names(d, name);
	if (!ret)
		ret = create_part(d);
	if (!ret)
		return 0;
	err_set(err, ret, "failed to create '%s': %s", name, strerror(-ret));
	if (d->fd >= 0)
		return output_directory_close(d, ret, err);
	release(d);
	return ret;
}

/* Returns 0 or a negative errno. Some file systems cannot sync, which is no error. */
static int sync_fd(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != EROFS ? -errno : 0;
}

/*
 * Closes the files; if @ret is 0, they are on the disk then. Returns @ret, or a negative errno with
 * @err set.
 */
static int close_files(struct output_directory *d, int ret, struct err *err)
{
	for (size_t i = 0; i < d->nr_files; i++) {
		int error;

		if (d->fds[i] < 0)
			continue;
		error = ret ? 0 : sync_fd(d->fds[i]);
		if (close(d->fds[i]) && !error)
			error = -errno;
		if (error && !ret)
			ret = err_set(err, error, "failed to write '%s/%s': %s", d->name,
				      d->files[i], strerror(-error));
	}
	return ret;
}

/* Gives the directory its name. Returns 0 or a negative errno with @err set. */
static int take_name(struct output_directory *d, struct err *err)
{
	int ret = sync_fd(d->fd);

	if (ret)
		return err_set(err, ret, "failed to sync '%s': %s", d->part, strerror(-ret));
	if (!rename(d->part, d->name)) {
		directory_at_signal = NULL;
		return 0;
	}
	ret = -errno;
	return err_set(err, ret, "failed to rename '%s' to '%s': %s", d->part, d->name,
		       strerror(-ret));
}

/* Makes the name last. A parent that this process may not read cannot be synced: no error. */
static int sync_name(const struct output_directory *d, struct err *err)
{
	int fd = openat(d->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return 0;
	ret = sync_fd(fd);
	close(fd);
	return ret ? err_set(err, ret, "failed to sync the directory of '%s': %s", d->name,
			     strerror(-ret))
		   : 0;
}

int output_directory_close(struct output_directory *directory, int ret, struct err *err)
{
	struct output_directory *d = directory;

	ret = close_files(d, ret, err);
	if (!ret)
		ret = take_name(d, err);
	if (ret)
		remove_part();
	else
		ret = sync_name(d, err);
	release(d);
	return ret;
}
