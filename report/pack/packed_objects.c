// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/pack/packed_objects.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"

static uint64_t hash_object(const char *path, const uint8_t *build_id, size_t size)
{
	return hash_bytes(path, strlen(path), hash_bytes(build_id, size, 0));
}

static int add_object(struct packed_objects *objects, uint32_t id)
{
	const struct object_key *key = &objects->model->objects.data[id].key;
	const char *path = string_set_get(&objects->model->strings, key->path);

	if (objects->ids.nr && objects->ids.data[objects->ids.nr - 1] == id)
		return 0;
	return index_push(&objects->index, &objects->ids,
			  hash_object(path, key->build_id.bytes, key->build_id.size), id);
}

int packed_objects_init(struct packed_objects *objects, const struct model *model,
			const struct found_names *found)
{
	int ret = 0;

	*objects = (struct packed_objects){.model = model};
	for (size_t i = 0; i < found->symbols.nr && !ret; i++)
		ret = add_object(objects, found->symbols.data[i].object);
	/* An object that has both is there twice, and found at its first place. */
	for (size_t i = 0; i < found->lines.nr && !ret; i++)
		ret = add_object(objects, found->lines.data[i].object);
	return ret;
}

void packed_objects_deinit(struct packed_objects *objects)
{
	vec_free(&objects->ids);
	index_deinit(&objects->index);
}

static bool is_file(const struct object_key *key, const struct prof_file_info *file)
{
	if (!key->has_file || !file)
		return !key->has_file && !file;
	return key->file.inode == file->inode && key->file.size == file->size &&
	       key->file.mtime_ns == file->mtime_ns && key->file.ctime_ns == file->ctime_ns;
}

uint32_t packed_objects_find(const struct packed_objects *objects, const struct prof_epoch *epoch,
			     uint32_t id, const struct prof_file_info *file)
{
	const struct prof_object *object = &epoch->objects[id];
	const char *path = epoch->strings[object->path].s;
	uint64_t hash = hash_object(path, object->build_id, object->build_id_size);

	if (object->kind != PROF_OBJECT_FILE && object->kind != PROF_OBJECT_KERNEL &&
	    object->kind != PROF_OBJECT_MODULE)
		return 0;
	index_for_each(&objects->index, hash, i) {
		const struct object_key *key =
			&objects->model->objects.data[objects->ids.data[i]].key;

		if (key->kind == object->kind && key->instance == object->instance &&
		    key->build_id.size == object->build_id_size &&
		    !memcmp(key->build_id.bytes, object->build_id, object->build_id_size) &&
		    (object->build_id_size || is_file(key, file)) &&
		    !strcmp(string_set_get(&objects->model->strings, key->path), path))
			return objects->ids.data[i];
	}
	return 0;
}
