// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "record/symbols/perf_map.h"

/* Bytes of names from maps in an epoch: no process can make an epoch too large to be written. */
#define JIT_NAMES_MAX (4u << 20)

/* Bytes of maps that are read for an epoch, in about half a second of CPU time. */
#define JIT_BYTES_MAX (128u << 20)

static int add_name(struct epoch_tables *tables, const char *s, uint32_t *id)
{
	return s && s[0] ? epoch_tables_string(tables, s, strlen(s), id) : 0;
}

static int add_process(struct epoch_tables *tables, const struct address_spaces *spaces,
		       const struct address_space *space, uint32_t id, const struct proc_info *proc)
{
	struct prof_process_info info = {
		.process = id, .ns_pid = proc->identity.ns_pid, .uid = proc->identity.uid};
	const char *name = proc->identity.name[0] ? proc->identity.name : space->name;
	const char *exe = proc->exe.nr ? proc->exe.data : address_space_exe(spaces, space);
	int ret = add_name(tables, name, &info.name);

	tables->processes.data[id].owner = info.uid + 1;
	if (!ret)
		ret = add_name(tables, exe, &info.exe);
	if (!ret)
		ret = add_name(tables, proc->cgroup.nr ? proc->cgroup.data : NULL, &info.cgroup);
	if (ret || (!info.ns_pid && info.uid == PROF_UID_UNKNOWN && !info.name && !info.exe &&
		    !info.cgroup))
		return ret;
	return vec_push(&tables->process_infos, info);
}

/* Adds key and value by turns, of the process @id. */
static int add_attributes(struct epoch_tables *tables, uint32_t id, const char_vec *attributes)
{
	const char *text = attributes->data, *end = text + attributes->nr;
	int ret = 0;

	while (!ret && text < end) {
		struct prof_process_attribute attribute = {.process = id};

		ret = add_name(tables, text, &attribute.key);
		text += strlen(text) + 1;
		if (!ret)
			ret = add_name(tables, text, &attribute.value);
		text += strlen(text) + 1;
		if (!ret)
			ret = vec_push(&tables->process_attributes, attribute);
	}
	return ret;
}

int epoch_names_process(struct epoch_tables *tables, const struct epoch_sources *sources,
			const struct address_space *space, uint32_t id)
{
	struct new_processes none = {0};
	struct new_processes *processes = sources->new_processes ? sources->new_processes : &none;
	struct proc_info now = {.identity.uid = PROF_UID_UNKNOWN};
	const struct proc_info *known;
	const char_vec *container = NULL;
	int ret = 0;

	/* /proc has the process as it is now, and says nothing of it before an exec. */
	if (address_spaces_find(sources->spaces, space->pid, UINT64_MAX) == space)
		ret = new_processes_look(processes, sources->spaces, space, &now);
	/* If the process has gone, what was known soon after its beginning is nearly as good. */
	known = new_processes_find(processes, space);
	if (!ret && known)
		ret = proc_info_fill(&now, known);
	if (!ret)
		ret = add_process(tables, sources->spaces, space, id, &now);
	if (!ret)
		ret = add_attributes(tables, id, &now.attributes);
	if (!ret && now.cgroup.nr)
		ret = container_names_find(&processes->containers, now.cgroup.data, &container);
	if (!ret && container)
		ret = add_attributes(tables, id, container);
	container_names_deinit(&none.containers);
	proc_info_deinit(&now);
	return ret;
}

static int add_vdso_symbol(struct epoch_tables *tables, uint32_t object, const struct vdso *vdso,
			   uint64_t off)
{
	const struct vdso_symbol *symbol = vdso_lookup(vdso, off);

	return symbol ? epoch_tables_symbol(tables, object, symbol->off, symbol->size, symbol->name)
		      : 0;
}

static bool is_vdso(const struct prof_object *object, const struct vdso *vdso)
{
	return object->kind == PROF_OBJECT_VDSO && object->build_id_size == vdso->build_id.size &&
	       !memcmp(object->build_id, vdso->build_id.bytes, object->build_id_size);
}

int epoch_names_vdso(struct epoch_tables *tables, const struct vdso *vdso)
{
	if (build_id_is_none(&vdso->build_id))
		return 0;
	vec_for_each(&tables->frames, frame) {
		int ret;

		if (!is_vdso(&tables->objects.data[frame->object], vdso))
			continue;
		/* A leaf is looked up at its address, a caller at the byte before. */
		ret = add_vdso_symbol(tables, frame->object, vdso, frame->offset);
		if (!ret && frame->offset)
			ret = add_vdso_symbol(tables, frame->object, vdso, frame->offset - 1);
		if (ret)
			return ret;
	}
	return 0;
}

static int compare_hits(const void *pa, const void *pb)
{
	const struct perf_map_hit *a = pa, *b = pb;

	COMPARE(a->addr, b->addr);
	return 0;
}

typedef VEC(struct perf_map_hit) hit_vec;

/* Lists the addresses that the frames of @object need: a leaf's own, a caller's byte before it. */
static int gather_hits(const struct epoch_tables *tables, uint32_t object, hit_vec *hits)
{
	vec_clear(hits);
	vec_for_each(&tables->frames, frame) {
		struct perf_map_hit leaf = {.addr = frame->offset}, caller = leaf;

		if (frame->object != object)
			continue;
		caller.addr--;
		if (vec_push(hits, leaf) || vec_push(hits, caller))
			return -ENOMEM;
	}
	if (hits->nr)
		qsort(hits->data, hits->nr, sizeof(*hits->data), compare_hits);
	return 0;
}

/* Bytes of the names that were found. Hits of one entry come one after the other. */
static size_t names_bytes(const hit_vec *hits)
{
	const struct perf_map_hit *last = NULL;
	size_t bytes = 0;

	vec_for_each(hits, hit) {
		if (!hit->size || (last && hit->name_off == last->name_off))
			continue;
		last = hit;
		bytes += hit->name_len;
	}
	return bytes;
}

/* The bytes that maps may have, and their names. */
struct jit_room {
	size_t map_bytes, name_bytes;
};

/* Adds the names that have room. Sets *@is_cut if others have none. Returns 0 or -ENOMEM. */
static int add_jit_names(struct epoch_tables *tables, uint32_t object, int fd, const hit_vec *hits,
			 struct jit_room *room, bool *is_cut)
{
	const struct perf_map_hit *last = NULL;
	char name[PERF_MAP_NAME_MAX + 1];

	vec_for_each(hits, hit) {
		int ret;

		if (!hit->size || (last && hit->name_off == last->name_off))
			continue;
		*is_cut = hit->name_len > room->name_bytes ||
			  tables->symbols.nr >= PROF_MAX_TABLE / 2;
		if (*is_cut)
			return 0;
		last = hit;
		perf_map_name(fd, hit, name);
		room->name_bytes -= hit->name_len;
		if (!name[0])
			continue;
		ret = epoch_tables_symbol(tables, object, hit->start, hit->size, name);
		if (ret)
			return ret;
	}
	return 0;
}

/* A map that is wanted for an epoch. */
struct wanted_map {
	uint32_t object, uid, turn;
	uint64_t generation;
	bool is_too_large; /* for its user's part of the room */
};

typedef VEC(struct wanted_map) wanted_map_vec;

/* Root comes first. The maps of a user come in another order in each epoch. */
static int compare_wanted(const void *pa, const void *pb)
{
	const struct wanted_map *a = pa, *b = pb;

	COMPARE(a->uid, b->uid);
	COMPARE(a->turn, b->turn);
	return 0;
}

static int list_wanted(const struct epoch_tables *tables, struct jit *jit, wanted_map_vec *wanted)
{
	size_t nr = tables->objects.nr, first = jit->nr_epochs++ % nr;

	for (uint32_t i = 0; i < nr; i++) {
		const struct prof_object *object = &tables->objects.data[i];
		struct wanted_map map = {.object = i, .turn = (i + nr - first) % nr};
		uint32_t process;

		if (object->kind != PROF_OBJECT_JIT ||
		    !epoch_tables_find_process(tables, object->instance, &process))
			continue;
		map.generation = tables->processes.data[process].entry.generation - 1;
		if (jit_find_owner(jit, map.generation, &map.uid) && vec_push(wanted, map))
			return -ENOMEM;
	}
	if (wanted->nr)
		qsort(wanted->data, wanted->nr, sizeof(*wanted->data), compare_wanted);
	return 0;
}

/* Adds the names of the map at @fd. If not @is_last, only when all of them have room. */
static int add_jit_map(struct epoch_tables *tables, struct wanted_map *map, int fd, hit_vec *hits,
		       struct jit_room *room, bool is_last)
{
	int ret = gather_hits(tables, map->object, hits);

	if (!ret && hits->nr)
		ret = perf_map_lookup(fd, hits->data, hits->nr);
	if (ret == -ENOMEM)
		return ret;
	/* After a failed read, the names that were read before it are good. */
	map->is_too_large = !is_last && names_bytes(hits) > room->name_bytes;
	return map->is_too_large
		       ? 0
		       : add_jit_names(tables, map->object, fd, hits, room, &map->is_too_large);
}

/* Reads @map, if @room is enough for it, and takes what it needs. Returns 0 or -ENOMEM. */
static int read_wanted(struct epoch_tables *tables, struct wanted_map *map, struct jit *jit,
		       hit_vec *hits, struct jit_room *room, bool is_last)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int ret = 0;

	map->is_too_large = false;
	if (!jit_begin_reading(jit, map->uid))
		return 0;
	fd = jit_open_map(jit, map->generation, room->map_bytes);
	map->is_too_large = fd == -EFBIG;
	if (fd >= 0 && !fstat(fd, &st)) {
		room->map_bytes -= st.st_size;
		ret = add_jit_map(tables, map, fd, hits, room, is_last);
	}
	/* To give a large copy back takes time, too. */
	cleanup_close(&fd);
	jit_end_reading(jit, map->uid);
	if (map->is_too_large && is_last)
		jit_note_unread(jit, map->uid);
	return ret;
}

/* The number of maps of the user of @wanted[@i], from there on; and of users. */
static size_t count_maps(const wanted_map_vec *wanted, size_t i, size_t *nr_users)
{
	size_t nr = 1;

	while (i + nr < wanted->nr && wanted->data[i + nr].uid == wanted->data[i].uid)
		nr++;
	*nr_users = 1;
	for (size_t k = i + nr; k < wanted->nr; k++)
		*nr_users += wanted->data[k].uid != wanted->data[k - 1].uid;
	return nr;
}

/* Reads the maps of each user that fit into an equal part of the room; those of root into all. */
static int read_shares(struct epoch_tables *tables, const wanted_map_vec *wanted, struct jit *jit,
		       hit_vec *hits, struct jit_room *room)
{
	size_t nr_users, nr;
	int ret = 0;

	for (size_t i = 0; i < wanted->nr && !ret; i += nr) {
		struct jit_room part = *room, left;

		nr = count_maps(wanted, i, &nr_users);
		if (wanted->data[i].uid) {
			part.map_bytes /= nr_users;
			part.name_bytes /= nr_users;
		}
		left = part;
		for (size_t k = 0; k < nr && !ret; k++)
			ret = read_wanted(tables, &wanted->data[i + k], jit, hits, &left, false);
		room->map_bytes -= part.map_bytes - left.map_bytes;
		room->name_bytes -= part.name_bytes - left.name_bytes;
	}
	return ret;
}

int epoch_names_jit(struct epoch_tables *tables, struct jit *jit)
{
	struct jit_room room = {.map_bytes = JIT_BYTES_MAX, .name_bytes = JIT_NAMES_MAX};
	wanted_map_vec wanted = {0};
	hit_vec hits = {0};
	int ret = list_wanted(tables, jit, &wanted);

	if (!ret)
		ret = read_shares(tables, &wanted, jit, &hits, &room);
	/* Users who need less than their part leave room for large maps. */
	for (size_t n = 0; n < wanted.nr && !ret; n++) {
		struct wanted_map *map = &wanted.data[(n + jit->nr_epochs) % wanted.nr];

		if (map->is_too_large)
			ret = read_wanted(tables, map, jit, &hits, &room, true);
	}
	vec_free(&wanted);
	vec_free(&hits);
	return ret;
}
