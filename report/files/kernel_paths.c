// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/kernel_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/safe_open.h"

/* Modules of a distribution are 6,000 files in 900 directories, six deep. */
#define ENTRIES_MAX 100000
#define DEPTH_MAX   12

struct walk {
	const char *module;
	char_vec path; /* of the directory at hand */
	kernel_paths *paths;
	unsigned int nr_entries;
};

static int add_path(kernel_paths *paths, const char *a, const char *b, const char *c)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s%s%s", a, b, c) < 0)
		return -ENOMEM;
	ret = vec_push(paths, path);
	if (ret)
		free(path);
	return ret;
}

#define MODULE_SUFFIX ".ko"

static bool is_packed_suffix(const char *suffix)
{
	return !strcmp(suffix, ".xz") || !strcmp(suffix, ".zst") || !strcmp(suffix, ".gz");
}

bool kernel_path_is_packed(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && is_packed_suffix(dot);
}

/* Are the names those of one module? The kernel takes '-' for '_'. */
static bool is_module_file(const char *file, const char *module)
{
	while (*module && (*file == *module || (*file == '-' && *module == '_'))) {
		file++;
		module++;
	}
	if (*module || strncmp(file, MODULE_SUFFIX, strlen(MODULE_SUFFIX)) != 0)
		return false;
	file += strlen(MODULE_SUFFIX);
	return !*file || !strcmp(file, ".debug") || is_packed_suffix(file);
}

static int walk_dir(struct walk *walk, int fd, unsigned int depth);

/* Looks at @entry of the directory open at @dir_fd. */
static int walk_entry(struct walk *walk, int dir_fd, const struct dirent *entry, unsigned int depth)
{
	size_t before = walk->path.nr;
	int ret, fd;

	/* Some file systems do not tell the type. Whoever opens the file finds out. */
	if ((entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN) &&
	    is_module_file(entry->d_name, walk->module))
		return add_path(walk->paths, walk->path.data, "/", entry->d_name);
	if ((entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) || entry->d_name[0] == '.' ||
	    depth == DEPTH_MAX)
		return 0;
	fd = openat(dir_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	walk->path.nr--;
	ret = vec_push(&walk->path, '/');
	if (!ret)
		ret = vec_append(&walk->path, entry->d_name, strlen(entry->d_name) + 1);
	if (ret)
		close(fd);
	else
		ret = walk_dir(walk, fd, depth + 1);
	if (!ret) {
		walk->path.nr = before;
		walk->path.data[before - 1] = '\0';
	}
	return ret;
}

/* Looks through the directory open at @fd, and closes it. */
static int walk_dir(struct walk *walk, int fd, unsigned int depth)
{
	const struct dirent *entry;
	DIR *dir = fdopendir(fd);
	int ret = 0;

	if (!dir) {
		close(fd);
		return errno == ENOMEM ? -ENOMEM : 0;
	}
	while (!ret && walk->nr_entries < ENTRIES_MAX && (entry = readdir(dir))) {
		walk->nr_entries++;
		ret = walk_entry(walk, dirfd(dir), entry, depth);
	}
	closedir(dir);
	return ret;
}

/* Appends the files of module @module below @top, a path in the directory open at @dir_fd. */
static int find_module(int dir_fd, const char *top, const char *module, kernel_paths *paths)
{
	struct walk walk = {.module = module, .paths = paths};
	int fd = safe_open_in_root(dir_fd, top, O_PATH | O_DIRECTORY), ret;
	int readable;

	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	readable = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fd);
	if (readable < 0)
		return 0;
	ret = vec_append(&walk.path, top, strlen(top) + 1);
	if (ret)
		close(readable);
	else
		ret = walk_dir(&walk, readable, 0);
	vec_free(&walk.path);
	return ret;
}

/* The places in a root. The first is one in a directory of debug files, too. */
static const char *const module_dirs[] = {"/lib/modules/", "/usr/lib/debug/lib/modules/"};
static const struct image_place {
	const char *before, *after; /* the release */
	bool is_below_debug;
} images[] = {
	{"/boot/vmlinux-", "", true},
	{"/lib/modules/", "/vmlinux", true},
	{"/lib/modules/", "/build/vmlinux", false},
	{"/usr/lib/debug/boot/vmlinux-", "", false},
	{"/usr/lib/debug/lib/modules/", "/vmlinux", false},
};

static int find_images(bool is_root, const char *release, kernel_paths *paths)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(images) && !ret; i++)
		if (is_root || images[i].is_below_debug)
			ret = add_path(paths, images[i].before, release, images[i].after);
	return ret;
}

int kernel_paths_find(int dir_fd, bool is_root, const struct kernel_file *file, kernel_paths *paths)
{
	const char *release = file->release;
	int ret = 0;

	if (!release[0] || release[0] == '.' || strchr(release, '/'))
		return 0;
	if (!file->module)
		return find_images(is_root, release, paths);
	for (size_t i = 0; i < (is_root ? ARRAY_SIZE(module_dirs) : 1) && !ret; i++) {
		_cleanup_free_ char *top = NULL;

		if (asprintf(&top, "%s%s", module_dirs[i], release) < 0)
			return -ENOMEM;
		ret = find_module(dir_fd, top, file->module, paths);
	}
	return ret;
}

void kernel_paths_free(kernel_paths *paths)
{
	vec_for_each(paths, path)
		free(*path);
	vec_free(paths);
}
