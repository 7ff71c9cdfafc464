// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/file_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

static uint64_t hash_key(const char *path, const struct build_id *id, source_scope scope)
{
	uint64_t hash = hash_bytes(path, strlen(path), scope);

	return hash_bytes(id->bytes, id->size, hash);
}

static uint64_t hash_source(const struct file_source *source)
{
	return hash_key(source->path, &source->build_id, source->scope);
}

struct file_source *file_sources_find(struct file_sources *s, const struct mapped_file *file,
				      source_scope scope)
{
	const struct build_id *id = mapped_file_build_id(file);

	index_for_each(&s->by_key, hash_key(file->path, id, scope), i) {
		struct file_source *source = &s->sources.data[i];

		if (source->scope != scope || !build_id_equal(&source->build_id, id) ||
		    strcmp(source->path, file->path) != 0)
			continue;
		source->is_used = true;
		return source;
	}
	return NULL;
}

int file_sources_get(struct file_sources *s, const struct mapped_file *file, source_scope scope,
		     struct file_source **source)
{
	struct file_source new = {.build_id = *mapped_file_build_id(file),
				  .scope = scope,
				  .file = NO_SOURCE_FILE,
				  .is_used = true};

	*source = file_sources_find(s, file, scope);
	if (*source)
		return 0;
	new.path = strdup(file->path);
	if (!new.path || index_push(&s->by_key, &s->sources, hash_source(&new), new)) {
		free(new.path);
		return -ENOMEM;
	}
	*source = &s->sources.data[s->sources.nr - 1];
	return 0;
}

void file_sources_forget(struct file_sources *s, uint32_t nr)
{
	vec_for_each(&s->sources, source)
		if (source->file == nr)
			source->file = NO_SOURCE_FILE;
}

int file_sources_settle(struct file_sources *s)
{
	size_t nr = 0;
	int ret = 0;

	vec_for_each(&s->sources, source) {
		source->nr_idle = source->is_used ? 0 : source->nr_idle + 1;
		source->is_used = false;
		source->attempts = 0;
		if (source->nr_idle >= 2)
			free(source->path);
		else
			s->sources.data[nr++] = *source;
	}
	if (nr == s->sources.nr)
		return 0;
	s->sources.nr = nr;
	index_clear(&s->by_key);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = index_insert(&s->by_key, hash_source(&s->sources.data[i]), i);
	return ret;
}

void file_sources_deinit(struct file_sources *s)
{
	vec_for_each(&s->sources, source)
		free(source->path);
	vec_free(&s->sources);
	index_deinit(&s->by_key);
}
