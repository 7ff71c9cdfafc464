// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/owed_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An offset takes eight bytes, and may be asked for at each epoch of a recording. */
#define OWED_OFFSETS_MAX (1u << 20)

static const char *path_of(const struct epoch_tables *t, const struct prof_object *object)
{
	return t->string_bytes.data + t->strings.data[object->path].off;
}

static bool is_same_object(const struct owed_object *owed, const struct epoch_tables *t,
			   uint32_t id)
{
	const struct prof_object *object = &t->objects.data[id];

	return owed->named == t->named.data[id] && owed->object.flags == object->flags &&
	       owed->object.build_id_size == object->build_id_size &&
	       !memcmp(owed->object.build_id, object->build_id, object->build_id_size) &&
	       !strcmp(owed->path, path_of(t, object));
}

static int add_object(struct owed_names *owed, const struct epoch_tables *t, uint32_t id)
{
	struct owed_object entry = {.object = t->objects.data[id],
				    .path = strdup(path_of(t, &t->objects.data[id])),
				    .identity = t->files.data[id],
				    .named = t->named.data[id]};

	if (entry.path && !vec_push(&owed->objects, entry))
		return 0;
	free(entry.path);
	return -ENOMEM;
}

int owed_names_add(struct owed_names *owed, const struct epoch_tables *t, uint32_t id, uint64_t off)
{
	size_t at = owed->objects.nr;
	int ret = 0;

	if (owed->nr_offsets >= OWED_OFFSETS_MAX)
		return -ENOSPC;
	/* The latest is the likeliest: offsets come file by file. */
	while (at && !is_same_object(&owed->objects.data[at - 1], t, id))
		at--;
	if (!at) {
		ret = add_object(owed, t, id);
		at = owed->objects.nr;
	}
	if (!ret)
		ret = vec_push(&owed->objects.data[at - 1].offsets, off);
	owed->nr_offsets += !ret;
	return ret;
}

int owed_object_put(const struct owed_object *o, struct epoch_tables *t, uint32_t *id)
{
	struct prof_object object = o->object;
	int ret = epoch_tables_string(t, o->path, strlen(o->path), &object.path);

	if (!ret && epoch_tables_find_object(t, &object, id) &&
	    !file_identity_equal(&t->files.data[*id], &o->identity))
		return -EEXIST;
	if (!ret)
		ret = epoch_tables_object(t, &object, id);
	if (ret)
		return ret;
	epoch_tables_set_file(t, *id, &o->identity);
	t->named.data[*id] = o->named;
	return 0;
}

void owed_names_deinit(struct owed_names *owed)
{
	vec_for_each(&owed->objects, o) {
		free(o->path);
		vec_free(&o->offsets);
	}
	vec_free(&owed->objects);
	owed->nr_offsets = 0;
}
