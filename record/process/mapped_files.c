// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mapped_files.h"

#include <string.h>

#include "common/hash.h"

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

/* Fills @file from @key; path points to a copy. */
static int describe_file(const struct mapped_file_key *key, struct mapped_file *file)
{
	size_t len;

	*file = (struct mapped_file){.kind = mapped_file_kind(key->path)};
	len = mapped_file_path_bytes(file->kind, key->path, &file->deleted);
	if (key->build_id && !build_id_is_none(key->build_id)) {
		file->given_id = *key->build_id;
	} else if (file->kind == MAPPED_FILE) {
		file->identity = key->identity;
	}
	file->path = strndup(key->path, len);
	return file->path ? 0 : -ENOMEM;
}

/* The bytes that @file takes, with its slot of the index. */
static size_t bytes_of(const struct mapped_file *file)
{
	return sizeof(*file) + strlen(file->path) + 2 * sizeof(struct index_slot);
}

static void release_file(struct mapped_files *files, struct mapped_file *file)
{
	memory_budget_charge(files->memory, bytes_of(file), 0);
	free(file->path);
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
	memory_budget_charge(files->memory, 0, bytes_of(file));
	*index = files->files.nr - 1;
	return 0;
}

int mapped_files_get(struct mapped_files *files, const struct mapped_file_key *key, uint32_t *index)
{
	struct mapped_file file;
	int ret = describe_file(key, &file);

	return ret ? ret : find_or_add(files, &file, index);
}

int mapped_files_add(struct mapped_files *files, const struct mapped_file_key *key,
		     const struct build_id *found_id, uint32_t *index)
{
	size_t nr = files->files.nr;
	int ret = mapped_files_get(files, key, index);

	if (!ret && files->files.nr > nr)
		files->files.data[*index].found_id = *found_id;
	return ret;
}

int mapped_files_look(struct mapped_files *files, const struct mapped_file_key *key,
		      const struct file_place *place, uint32_t *index)
{
	struct mapped_file file;
	int ret = describe_file(key, &file);

	if (ret)
		return ret;
	if (file.kind == MAPPED_FILE && build_id_is_none(&file.given_id) && !file.identity.is_stat)
		mapped_file_ask(files->looker, &file, place);
	return find_or_add(files, &file, index);
}

bool mapped_files_are_same(const struct mapped_file *a, const struct mapped_file *b)
{
	const struct build_id *id = mapped_file_build_id(a);

	if (a->identity.inode != b->identity.inode || strcmp(a->path, b->path) ||
	    !build_id_equal(id, mapped_file_build_id(b)))
		return false;
	/* Without a build-id, only stat knows a file that was written anew from the one before. */
	return !build_id_is_none(id) || (!a->identity.is_stat && !b->identity.is_stat) ||
	       file_identity_equal(&a->identity, &b->identity);
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
			release_file(files, file);
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
		release_file(files, file);
	vec_free(&files->files);
	index_deinit(&files->by_key);
}
