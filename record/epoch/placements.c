// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/placements.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash.h"

/* A number above this is not tried, and the object gets its own position as its instance. */
#define PROBES_MAX 64

static uint64_t hash_range(const struct placement *m)
{
	const uint64_t key[] = {(uint64_t)m->process << 32 | m->object, m->start, m->size};

	return hash_bytes(key, sizeof(key), 0);
}

/* Of the file of @object in @process, whatever its instance is. */
static uint64_t hash_file_use(uint32_t process, const struct prof_object *object,
			      const struct file_identity *identity)
{
	const uint64_t key[] = {process, (uint64_t)object->kind << 32 | object->path};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);

	hash = hash_bytes(object->build_id, object->build_id_size, hash);
	return file_identity_hash(identity, hash);
}

static uint64_t hash_distance(uint64_t file_hash, uint64_t distance)
{
	return hash_bytes(&distance, sizeof(distance), file_hash);
}

/* Is @object, with @identity, the file of the object @id? */
static bool is_file_of_object(const struct epoch_tables *tables, uint32_t id,
			      const struct prof_object *object,
			      const struct file_identity *identity)
{
	const struct prof_object *have = &tables->objects.data[id];

	return have->kind == object->kind && have->path == object->path &&
	       have->build_id_size == object->build_id_size &&
	       !memcmp(have->build_id, object->build_id, object->build_id_size) &&
	       file_identity_equal(&tables->files.data[id], identity);
}

static struct placed_file *find_file(const struct placements *p, const struct epoch_tables *tables,
				     uint32_t process, const struct prof_object *object,
				     const struct file_identity *identity)
{
	index_for_each(&p->by_file, hash_file_use(process, object, identity), i) {
		struct placed_file *file = &p->files.data[i];

		if (file->process == process &&
		    is_file_of_object(tables, file->object, object, identity))
			return file;
	}
	return NULL;
}

/* Does @object, deleted or not, belong to a file other than @identity? */
static bool is_of_other_file(const struct epoch_tables *tables, const struct prof_object *object,
			     const struct file_identity *identity)
{
	static const uint8_t flags[] = {0, PROF_OBJECT_DELETED};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct prof_object have = *object;
		uint32_t id;

		have.flags = flags[i];
		if (epoch_tables_find_object(tables, &have, &id) &&
		    !file_identity_equal(&tables->files.data[id], identity))
			return true;
	}
	return false;
}

/*
 * The first instance from @nr on that does not belong to another file of that path. No object has
 * an instance above its own position, so the position of a new object is free.
 */
static uint32_t free_instance(const struct epoch_tables *tables, const struct prof_object *object,
			      const struct file_identity *identity, uint32_t nr)
{
	struct prof_object probe = *object;

	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		probe.instance = nr + i;
		if (!is_of_other_file(tables, &probe, identity))
			return probe.instance;
	}
	return tables->objects.nr;
}

uint32_t placements_instance(const struct placements *p, const struct epoch_tables *tables,
			     uint32_t process, const struct prof_object *object,
			     const struct file_identity *identity, uint64_t distance)
{
	uint64_t hash = hash_distance(hash_file_use(process, object, identity), distance);
	const struct placed_file *file;

	index_for_each(&p->by_distance, hash, i) {
		const struct placement *m = &p->placements.data[i];

		if (m->process == process && m->distance == distance &&
		    is_file_of_object(tables, m->object, object, identity))
			return tables->objects.data[m->object].instance;
	}
	file = find_file(p, tables, process, object, identity);
	return free_instance(tables, object, identity, file ? file->next_instance : 0);
}

bool placements_has(const struct placements *p, const struct placement *placement)
{
	index_for_each(&p->by_range, hash_range(placement), i) {
		const struct placement *m = &p->placements.data[i];

		if (m->process == placement->process && m->object == placement->object &&
		    m->start == placement->start && m->size == placement->size)
			return true;
	}
	return false;
}

static int add_file(struct placements *p, const struct epoch_tables *tables,
		    const struct placement *placement)
{
	const struct prof_object *object = &tables->objects.data[placement->object];
	const struct file_identity *identity = &tables->files.data[placement->object];
	const struct placed_file new = {.process = placement->process,
					.object = placement->object,
					.next_instance = object->instance + 1};
	struct placed_file *file = find_file(p, tables, placement->process, object, identity);

	if (!file)
		return index_push(&p->by_file, &p->files,
				  hash_file_use(placement->process, object, identity), new);
	if (file->next_instance < new.next_instance)
		file->next_instance = new.next_instance;
	return 0;
}

int placements_add(struct placements *p, const struct epoch_tables *tables,
		   const struct placement *placement)
{
	const struct prof_object *object = &tables->objects.data[placement->object];
	uint64_t hash =
		hash_file_use(placement->process, object, &tables->files.data[placement->object]);
	uint32_t nr = p->placements.nr;

	if (add_file(p, tables, placement) ||
	    index_push(&p->by_range, &p->placements, hash_range(placement), *placement))
		return -ENOMEM;
	return index_insert(&p->by_distance, hash_distance(hash, placement->distance), nr);
}

void placements_clear(struct placements *p)
{
	vec_clear(&p->placements);
	vec_clear(&p->files);
	index_clear(&p->by_range);
	index_clear(&p->by_distance);
	index_clear(&p->by_file);
}

void placements_deinit(struct placements *p)
{
	vec_free(&p->placements);
	vec_free(&p->files);
	index_deinit(&p->by_range);
	index_deinit(&p->by_distance);
	index_deinit(&p->by_file);
}
