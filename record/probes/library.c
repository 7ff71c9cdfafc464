// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/readfile.h"
#include "common/safe_open.h"
#include "record/probes/mapped_code.h"
#include "record/proc/proc_path.h"
#include "record/host/host_abi.h"

#define CACHE_PATH      "/etc/ld.so.cache"
#define CACHE_BYTES_MAX (64u << 20)

/* glibc, sysdeps/generic/dl-cache.h. */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_header {
	char magic[sizeof(CACHE_MAGIC) - 1];
	uint32_t nr, string_bytes;
	uint32_t more[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t key, value; /* offsets of strings from the header on */
	uint32_t more[3];
};

bool library_is_named(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(file, name))
		return true;
	/* Who knows the file says "libc" for "c". */
	if (!strncmp(name, "lib", 3) && library_is_named(file, name + 3))
		return true;
	if (strncmp(file, "lib", 3) != 0 || strncmp(file + 3, name, len) != 0)
		return false;
	file += 3 + len;
	/* Also "libc-2.31.so", as glibc named its files before 2.34. */
	if (*file == '-' && file[1] >= '0' && file[1] <= '9')
		file += strspn(file, "-.0123456789");
	else if (!strncmp(file, ".so", 3))
		return !file[3] || file[3] == '.';
	return !strcmp(file, "so");
}

const char *library_in_cache(const char *cache, size_t size, const char *name)
{
	struct cache_header header;
	struct cache_entry entry;

	if (size < sizeof(header))
		return NULL;
	memcpy(&header, cache, sizeof(header));
	if (memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) != 0 || cache[size - 1])
		return NULL;
	for (size_t i = 0; i < header.nr; i++) {
		size_t off = sizeof(header) + i * sizeof(entry);

		if (off + sizeof(entry) > size)
			return NULL;
		memcpy(&entry, cache + off, sizeof(entry));
		if (entry.flags == HOST_LIBRARY_FLAGS && entry.key < size && entry.value < size &&
		    strncmp(cache + entry.key, "lib", 3) == 0 &&
		    library_is_named(cache + entry.key, name))
			return cache + entry.value;
	}
	return NULL;
}

static int set_library(struct library *library, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	library->path = strdup(path);
	if (!library->path) {
		close(fd);
		return -ENOMEM;
	}
	library->fd = fd;
	library->dev = st.st_dev;
	library->inode = st.st_ino;
	return 0;
}

/* Opens a regular file. Returns 0 or a negative errno. */
static int open_path(const char *path, struct library *library)
{
	int fd = safe_open(AT_FDCWD, path, &(struct safe_open_rules){0});

	return fd < 0 ? fd : set_library(library, fd, path);
}

static int open_in_cache(const char *name, struct library *library)
{
	char_vec cache = {0};
	const char *path;
	int ret = read_file(CACHE_PATH, CACHE_BYTES_MAX, &cache);

	if (!ret) {
		path = library_in_cache(cache.data, cache.nr + 1, name);
		ret = path ? open_path(path, library) : -ENOENT;
	}
	vec_free(&cache);
	return ret;
}

static int open_in_search_path(const char *name, struct library *library)
{
	const char *dirs = getenv("PATH");
	_cleanup_free_ char *copy = strdup(dirs ? dirs : "");
	char *save = NULL;

	if (!copy)
		return -ENOMEM;
	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		_cleanup_free_ char *path = NULL;
		int ret;

		if (asprintf(&path, "%s/%s", dir, name) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		ret = open_path(path, library);
		if (!ret || ret == -ENOMEM)
			return ret;
	}
	return -ENOENT;
}

static bool is_wanted(const char *path, const char *name)
{
	_cleanup_free_ char *file = mapped_code_name(path);
	size_t mark_bytes; /* of a deleted file */

	if (!file)
		return false;
	if (!strchr(name, '/'))
		return library_is_named(file, name);
	mark_bytes = strlen(strrchr(path, '/') + 1) - strlen(file);
	return strlen(path) - mark_bytes == strlen(name) && !strncmp(path, name, strlen(name));
}

static int open_of_process(const char *name, uint32_t pid, struct library *library)
{
	_cleanup_(mapped_code_free) mapped_code_vec code = {0};
	int ret = mapped_code_read(pid, &code);

	for (size_t i = 0; i < code.nr && !ret; i++) {
		int fd = is_wanted(code.data[i].path, name) ? mapped_code_open(pid, &code.data[i])
							    : -ENOENT;

		if (fd >= 0)
			return set_library(library, fd, code.data[i].path);
	}
	return ret ? ret : -ENOENT;
}

/* Opens a path as the process sees it. */
static int open_in_root(const char *path, uint32_t pid, struct library *library)
{
	char name[PROC_PATH_SIZE];
	int root, fd;

	proc_path(pid, "root", name);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = safe_open(root, path, &(struct safe_open_rules){.lookup = SAFE_OPEN_IN_ROOT});
	close(root);
	return fd < 0 ? fd : set_library(library, fd, path);
}

static int open_any(const char *name, uint32_t pid, struct library *library)
{
	bool is_path = strchr(name, '/');
	int ret = pid ? open_of_process(name, pid, library) : -ENOENT;

	if (!ret || ret == -ENOMEM)
		return ret;
	/* A library that the process has not loaded yet. */
	if (is_path && pid && name[0] == '/')
		ret = open_in_root(name, pid, library);
	if (ret && is_path)
		return open_path(name, library);
	if (ret)
		ret = open_in_cache(name, library);
	if (ret && ret != -ENOMEM)
		ret = open_in_search_path(name, library);
	return ret;
}

int library_open(const char *name, uint32_t pid, struct library *library, struct err *err)
{
	int ret;

	*library = (struct library){.fd = -1};
	ret = open_any(name, pid, library);
	if (!ret)
		return 0;
	if (strchr(name, '/') || ret != -ENOENT)
		return err_set(err, ret, "failed to open library '%s': %s", name, strerror(-ret));
	err_set(err, ret, "failed to find library '%s'", name);
	return err_hint(
		err, ret,
		"it is looked for in %s/etc/ld.so.cache (lib%s.so*) and PATH; a path names any file",
		pid ? "the process's mappings, " : "", name);
}

bool library_exists(const char *name, const u32_vec *pids)
{
	struct library library = {.fd = -1};
	bool exists = !pids->nr && !open_any(name, 0, &library);

	for (size_t i = 0; i < pids->nr && !exists; i++)
		exists = !open_any(name, pids->data[i], &library);
	library_close(&library);
	return exists;
}

void library_close(struct library *library)
{
	cleanup_close(&library->fd);
	free(library->path);
	*library = (struct library){.fd = -1};
}
