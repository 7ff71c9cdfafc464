// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mapped_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/safe_open.h"

#define DELETED_SUFFIX " (deleted)" /* d_path in fs/d_path.c */

/* Of a path in /proc without the path of a file. */
#define PROC_PATH_SIZE 96

/* A sweep is not worth its while below this number of files. */
#define SWEEP_MIN 1024

static uint64_t hash_file(const struct mapped_file *file)
{
	uint64_t h = hash_bytes(file->path, strlen(file->path), 0);

	h = hash_bytes(file->given_id.bytes, file->given_id.size, h);
	return file_identity_hash(&file->identity, h);
}

static bool is_same(const struct mapped_file *a, const struct mapped_file *b)
{
	return file_identity_equal(&a->identity, &b->identity) && a->deleted == b->deleted &&
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
	} else if (file->kind == MAPPED_FILE) {
		file->identity = key->identity;
	}
	file->path = strndup(key->path, len);
	return file->path ? 0 : -ENOMEM;
}

/* Finds @file in the table, or moves it there. Returns 0 or -ENOMEM. */
static int find_or_add(struct mapped_files *files, struct mapped_file *file, uint32_t *index)
{
	uint64_t hash = hash_file(file);
	int ret;

	index_for_each(&files->by_key, hash, i) {
		if (is_same(&files->files.data[i], file)) {
			free(file->path);
			*index = i;
			return 0;
		}
	}
	ret = index_push(&files->by_key, &files->files, hash, *file);
	if (ret) {
		free(file->path);
		return ret;
	}
	*index = files->files.nr - 1;
	return 0;
}

int mapped_files_get(struct mapped_files *files, const struct mapped_file_key *key, uint32_t *index)
{
	struct mapped_file file;
	int ret = describe_file(key, &file);

	return ret ? ret : find_or_add(files, &file, index);
}

/*
 * Opens @path if it is the file that @file was. Compares the inode alone if there is a build-id,
 * since overlay filesystems show another device in maps than in stat.
 */
static int open_same(const char *path, const struct mapped_file *file)
{
	const struct safe_open_rules rules = {.inode = file->identity.inode};
	_cleanup_close_ int fd = safe_open(AT_FDCWD, path, &rules);

	if (fd < 0)
		return fd;
	if (build_id_is_none(mapped_file_build_id(file)) &&
	    !file_identity_is_of_fd(&file->identity, fd))
		return -ESTALE;
	return TAKE_FD(fd);
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

int mapped_files_look(struct mapped_files *files, const struct mapped_file_key *key,
		      const struct file_place *place, uint32_t *index)
{
	_cleanup_close_ int fd = -1;
	size_t nr = files->files.nr;
	struct mapped_file file;
	int ret = describe_file(key, &file);

	if (ret)
		return ret;
	if (file.kind == MAPPED_FILE && build_id_is_none(&file.given_id) && !file.identity.is_stat)
		file_identity_look(place, file.deleted ? NULL : file.path, &file.identity);
	ret = find_or_add(files, &file, index);
	if (ret || files->files.nr == nr || !file.identity.is_stat)
		return ret;
	fd = mapped_file_open(&file, place->pid, place->start, place->end);
	if (fd >= 0)
		build_id_from_fd(fd, &files->files.data[*index].found_id);
	return 0;
}

bool mapped_files_are_same(const struct mapped_file *a, const struct mapped_file *b)
{
	return a->identity.inode == b->identity.inode && !strcmp(a->path, b->path) &&
	       build_id_equal(mapped_file_build_id(a), mapped_file_build_id(b));
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
