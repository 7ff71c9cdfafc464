// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_names.h"

#include <errno.h>
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

int epoch_names_process(struct epoch_tables *tables, const struct epoch_sources *sources,
			const struct address_space *space, uint32_t id)
{
	static const struct new_processes none;
	const struct new_processes *processes =
		sources->new_processes ? sources->new_processes : &none;
	struct proc_info now = {.identity.uid = PROF_UID_UNKNOWN};
	const struct proc_info *known;
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

static int add_jit_names(struct epoch_tables *tables, uint32_t object, int fd, const hit_vec *hits,
			 size_t *bytes_left)
{
	const struct perf_map_hit *last = NULL;
	char name[PERF_MAP_NAME_MAX + 1];

	vec_for_each(hits, hit) {
		int ret;

		if (!hit->size || (last && hit->name_off == last->name_off))
			continue;
		if (hit->name_len > *bytes_left || tables->symbols.nr >= PROF_MAX_TABLE / 2)
			return 0;
		last = hit;
		perf_map_name(fd, hit, name);
		*bytes_left -= hit->name_len;
		if (!name[0])
			continue;
		ret = epoch_tables_symbol(tables, object, hit->start, hit->size, name);
		if (ret)
			return ret;
	}
	return 0;
}

/* A copy of the map of the process that @object belongs to, or a negative errno. */
static int open_jit_map(const struct epoch_tables *tables, const struct prof_object *object,
			const struct jit *jit, uint64_t max_bytes)
{
	vec_for_each(&tables->processes, process)
		if (process->entry.generation &&
		    (uint32_t)process->entry.generation == object->instance)
			return jit_open_map(jit, process->entry.generation - 1, max_bytes);
	return -ENOENT;
}

/* The rest of the bytes that an epoch may take from maps. */
struct jit_budget {
	size_t name_bytes, map_bytes;
};

/* Adds the names of the map at @fd. */
static int add_jit_map(struct epoch_tables *tables, uint32_t object, int fd, hit_vec *hits,
		       struct jit_budget *left)
{
	int ret = gather_hits(tables, object, hits);

	if (!ret && hits->nr)
		ret = perf_map_lookup(fd, hits->data, hits->nr);
	/* After a failed read, the names that were read before it are good. */
	return ret == -ENOMEM ? ret : add_jit_names(tables, object, fd, hits, &left->name_bytes);
}

static int add_jit_object(struct epoch_tables *tables, uint32_t object, struct jit *jit,
			  hit_vec *hits, struct jit_budget *left)
{
	_cleanup_close_ int fd = -EFBIG;
	struct stat st;
	int ret = 0;

	if (cpu_share_begin(&jit->reading))
		fd = open_jit_map(tables, &tables->objects.data[object], jit, left->map_bytes);
	jit->nr_maps_left_out += fd == -EFBIG;
	if (fd >= 0 && !fstat(fd, &st)) {
		left->map_bytes -= st.st_size;
		ret = add_jit_map(tables, object, fd, hits, left);
	}
	cpu_share_end(&jit->reading);
	return ret;
}

int epoch_names_jit(struct epoch_tables *tables, struct jit *jit)
{
	struct jit_budget left = {.name_bytes = JIT_NAMES_MAX, .map_bytes = JIT_BYTES_MAX};
	/* Each epoch begins with another map, so that each gets its turn. */
	size_t nr = tables->objects.nr, first = jit->nr_epochs++ % nr;
	hit_vec hits = {0};
	int ret = 0;

	for (size_t n = 0; !ret && n < nr; n++) {
		uint32_t object = (first + n) % nr;

		if (tables->objects.data[object].kind == PROF_OBJECT_JIT)
			ret = add_jit_object(tables, object, jit, &hits, &left);
	}
	vec_free(&hits);
	return ret;
}
