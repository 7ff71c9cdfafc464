// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mapped_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/hash.h"

#include "common/safe_open.h"

#define DELETED_SUFFIX " (deleted)" /* d_path in fs/d_path.c */

/* Of a path in /proc without the path of a file. */
#define PROC_PATH_SIZE 96

/* A sweep is not worth its while below this number of files. */
#define SWEEP_MIN 1024

static uint64_t hash_file(const struct mapped_file *file)
{
	uint64_t ids[2] = {file->dev, file->inode};
	uint64_t h = hash_bytes(file->path, strlen(file->path), 0);

	h = hash_bytes(file->given_id.bytes, file->given_id.size, h);
	return hash_bytes(ids, sizeof(ids), h);
}

static bool is_same(const struct mapped_file *a, const struct mapped_file *b)
{
	return a->dev == b->dev && a->inode == b->inode && a->deleted == b->deleted &&
	       build_id_equal(&a->given_id, &b->given_id) && !strcmp(a->path, b->path);
}

/*
 * The kernel's names of mappings without a file: "//anon", "[heap]", "anon_inode:...". "/memfd:..."
 * is one with file offsets and perhaps a build-id, since programs are run from there.
 */
static enum mapped_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return MAPPED_VDSO;
	return path[0] != '/' || !strncmp(path, "//", 2) || !strncmp(path, "/anon_hugepage", 14) ||
			       !strncmp(path, "/dev/zero", 9)
		       ? MAPPED_ANON
		       : MAPPED_FILE;
}

/* Fills @file from @key; path points to a copy. */
static int describe_file(const struct mapped_file_key *key, struct mapped_file *file)
{
	size_t len = strlen(key->path), suffix = strlen(DELETED_SUFFIX);

	*file = (struct mapped_file){.kind = kind_of(key->path)};
	if (file->kind == MAPPED_FILE && len > suffix &&
	    !strcmp(key->path + len - suffix, DELETED_SUFFIX)) {
		file->deleted = true;
		len -= suffix;
	}
	if (key->build_id && !build_id_is_none(key->build_id)) {
		file->given_id = *key->build_id;
		file->searched = true;
	} else if (file->kind == MAPPED_FILE) {
		file->dev = key->dev;
		file->inode = key->inode;
	}
	file->path = strndup(key->path, len);
	return file->path ? 0 : -ENOMEM;
}

int mapped_files_get(struct mapped_files *files, const struct mapped_file_key *key, uint32_t *index)
{
	struct mapped_file file;
	uint64_t hash;
	int ret = describe_file(key, &file);

	if (ret)
		return ret;
	hash = hash_file(&file);
	index_for_each(&files->by_key, hash, i) {
		if (is_same(&files->files.data[i], &file)) {
			free(file.path);
			*index = i;
			return 0;
		}
	}
	ret = index_push(&files->by_key, &files->files, hash, file);
	if (ret) {
		free(file.path);
		return ret;
	}
	*index = files->files.nr - 1;
	return 0;
}

/*
 * Opens @path if it is the file that @file was. Overlay filesystems show another device in maps
 * than in stat: the inode must do.
 */
static int open_same(const char *path, const struct mapped_file *file)
{
	const struct safe_open_rules rules = {.inode = file->inode};

	return safe_open(AT_FDCWD, path, &rules);
}

int mapped_file_open(const struct mapped_file *file, uint32_t pid, uint64_t start, uint64_t end)
{
	char path[PROC_PATH_SIZE + PATH_MAX];
	int fd;

	if (file->kind != MAPPED_FILE)
		return -1;
	/* By construction the mapped file, also when it is deleted or hidden; needs CAP_SYS_ADMIN.
	 */
	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	fd = open_same(path, file);
	if (fd < 0 && !file->deleted) {
		snprintf(path, sizeof(path), "/proc/%u/root%s", pid, file->path);
		fd = open_same(path, file);
	}
	if (fd < 0 && !file->deleted)
		fd = open_same(file->path, file);
	return fd < 0 ? -1 : fd;
}

void mapped_file_find_build_id(struct mapped_file *file, uint32_t pid, uint64_t start, uint64_t end)
{
	int fd;

	if (file->searched)
		return;
	file->searched = true;
	fd = mapped_file_open(file, pid, start, end);
	if (fd < 0)
		return;
	build_id_from_fd(fd, &file->found_id);
	close(fd);
}

bool mapped_files_want_sweep(const struct mapped_files *files)
{
	return files->files.nr > SWEEP_MIN && files->files.nr > 2 * files->swept_nr;
}

void mapped_files_sweep(struct mapped_files *files, const bool *used, uint32_t *moved)
{
	size_t nr = 0;

	index_clear(&files->by_key);
	for (size_t i = 0; i < files->files.nr; i++) {
		struct mapped_file *file = &files->files.data[i];

		if (!used[i]) {
			free(file->path);
			continue;
		}
		moved[i] = nr;
		files->files.data[nr] = *file;
		/* It held more before, so this does not grow. */
		index_insert(&files->by_key, hash_file(&files->files.data[nr]), nr);
		nr++;
	}
	files->files.nr = files->swept_nr = nr;
}

void mapped_files_deinit(struct mapped_files *files)
{
	vec_for_each(&files->files, file)
		free(file->path);
	vec_free(&files->files);
	index_deinit(&files->by_key);
}
