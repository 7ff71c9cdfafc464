// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/part_file.h"
#include "common/safe_open.h"
#include "report/write/signal_cleanup.h"

/* The way to write to a name: in place, or by a new file that takes the name in the end. */

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

/*
 * Follows the links of @name. Sets *@path, which the caller frees, to the name of the regular file
 * or of a file that is not there yet. NULL stands for a device, a FIFO or a descriptor of this
 * process: it is written in place. Returns 0 or a negative errno, -EACCES for a file that the user
 * may not write.
 */
static int output_target_find(const char *name, char **path)
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

#define COPY_BYTES (1u << 20)

/* The part to remove when a signal ends the process; a handler gets no other argument. */
static const char *volatile part_at_signal;

static void remove_part(void)
{
	const char *part = part_at_signal;

	if (part)
		unlink(part);
}

static bool is_standard(const char *name)
{
	return !name || !strcmp(name, "-");
}

/* Looks at the open file for "-", which is @standard_fd. Returns false if there is no such file. */
static bool find_file(const char *name, int standard_fd, struct stat *st)
{
	return !(is_standard(name) ? fstat(standard_fd, st) : stat(name, st));
}

static bool is_input(const char *name, const struct stat *out)
{
	struct stat in;

	/* A terminal can be standard input and standard output. */
	return find_file(name, STDIN_FILENO, &in) && S_ISREG(in.st_mode) && is_same_file(&in, out);
}

int output_file_check(const struct output_request *request, struct err *err)
{
	struct stat out;

	if (!find_file(request->name, STDOUT_FILENO, &out))
		return 0;
	for (size_t i = 0; i < request->nr_inputs; i++) {
		const struct source_files *files = &request->inputs[i];

		for (size_t j = 0; j < files->nr; j++)
			if (is_input(files->names[j], &out))
				return err_set(
					err, -EINVAL, "failed to write '%s': it is the input '%s'",
					request->name ? request->name : "-", files->names[j]);
	}
	return 0;
}

static int open_in_place(struct output_file *file)
{
	file->text.fd = open(file->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY,
			     PRIVATE_FILE_MODE);
	return file->text.fd < 0 ? -errno : 0;
}

/*
 * Creates the part of the file @path, which a signal removes from then on. An older file of the
 * user's keeps its mode, so that a page stays readable for those that it was opened to.
 */
static int create_part(struct output_file *file, const char *path)
{
	_cleanup_free_ char *part = NULL;
	struct stat older;
	sigset_t before;
	int ret;

	signal_cleanup_defer(&before);
	ret = part_file_create(path, &file->text.fd, &part);
	if (!ret && !stat(path, &older) && older.st_uid == geteuid() &&
	    fchmod(file->text.fd, older.st_mode & 0777)) {
		ret = -errno;
		unlink(part);
		close(file->text.fd);
	}
	if (!ret) {
		part_at_signal = file->part = TAKE_PTR(part);
		signal_cleanup_set(remove_part);
	}
	signal_cleanup_allow(&before);
	return ret;
}

static int open_file(struct output_file *file)
{
	_cleanup_free_ char *path = NULL;
	int ret = output_target_find(file->name, &path);

	if (ret)
		return ret;
	if (!path)
		return open_in_place(file);
	ret = create_part(file, path);
	/* A file that the user may write can be in a directory where no new one may be made. */
	if (ret == -ENAMETOOLONG || ((ret == -EACCES || ret == -EROFS) && !access(path, F_OK)))
		return open_in_place(file);
	if (!ret)
		file->path = TAKE_PTR(path);
	return ret;
}

int output_file_open(struct output_file *file, const struct output_request *request,
		     struct textbuf *standard, struct err *err)
{
	int ret = output_file_check(request, err);

	*file = (struct output_file){.out = standard, .text.fd = -1};
	if (ret || is_standard(request->name))
		return ret;
	file->name = request->name;
	ret = open_file(file);
	if (ret)
		return err_set(err, ret, "failed to create '%s': %s", file->name, strerror(-ret));
	file->out = &file->text;
	return 0;
}

/* Copies the part over the older file. Returns 0 or a negative errno. */
static int copy_part(const struct output_file *file)
{
	_cleanup_close_ int from = open(file->part, O_RDONLY | O_CLOEXEC), to = -1;
	ssize_t n;

	if (from < 0)
		return -errno;
	to = open(file->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	if (to < 0)
		return -errno;
	do
		n = sendfile(to, from, NULL, COPY_BYTES);
	while (n > 0);
	return n < 0 ? -errno : 0;
}

/*
 * The user may write to some files that he may not replace: another user's in a directory like
 * /tmp, or one that is mounted alone. The part stays if it cannot be copied there either.
 */
static int replace_file(const struct output_file *file, struct err *err)
{
	int ret;

	if (!rename(file->part, file->path))
		return 0;
	ret = -errno;
	part_at_signal = NULL;
	if ((ret != -EPERM && ret != -EACCES && ret != -EBUSY) || copy_part(file)) {
		err_set(err, ret, "failed to rename '%s' to '%s': %s", file->part, file->path,
			strerror(-ret));
		return err_hint(err, ret, "'%s' is whole", file->part);
	}
	unlink(file->part);
	return 0;
}

/* Gives the part its name, or removes it if @ret is an error. Returns like output_file_close. */
static int finish_part(const struct output_file *file, int ret, struct err *err)
{
	if (ret)
		unlink(file->part);
	else
		ret = replace_file(file, err);
	part_at_signal = NULL;
	return ret;
}

/* As output_file_close. What could not be written is the reason of all that failed after it. */
static int write_rest(const struct output_file *file, int ret, struct err *err)
{
	int error = ret ? file->out->error : textbuf_flush(file->out);

	if (!error)
		return ret;
	if (!file->name)
		return err_set(err, error, "failed to write the report: %s", strerror(-error));
	return err_set(err, error, "failed to write '%s': %s", file->name, strerror(-error));
}

int output_file_close(struct output_file *file, int ret, struct err *err)
{
	ret = write_rest(file, ret, err);
	if (!file->name)
		return ret;
	textbuf_deinit(&file->text);
	if (close(file->text.fd) && !ret) {
		ret = -errno;
		err_set(err, ret, "failed to write '%s': %s", file->name, strerror(-ret));
	}
	if (file->part)
		ret = finish_part(file, ret, err);
	free(file->part);
	free(file->path);
	return ret;
}
