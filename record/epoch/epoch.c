// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/epoch/epoch_names.h"
#include "record/epoch/epoch_tables.h"
#include "record/process/proc_scan.h"

/*
 * An epoch is written when it holds this much, well within the format's limits: it bounds the
 * recorder's memory (about 8 MB, and as much while it is encoded) however many distinct stacks
 * there are and processes start.
 */
#define LARGE_STACKS       (32u << 10)
#define LARGE_STACK_FRAMES (512u << 10)
#define LARGE_FRAMES       (96u << 10)
#define LARGE_PROCESSES    (4u << 10)

struct epoch {
	struct epoch_sources sources;
	struct epoch_tables tables;

	/* Kernel addresses and stacks repeat all the time and mean the same in every process. */
	VEC(uint64_t) kernel_addrs;
	u32_vec kernel_frames; /* frame of kernel_addrs[i] */
	VEC(uint64_t) kernel_ids;
	u32_vec kernel_stacks; /* stack of kernel_ids[i] */
	struct index by_kernel_addr, by_kernel_id;

	u32_vec scratch; /* frames of the stack at hand */
	uint64_t samples;
};

/* A process of the epoch. */
struct user_process {
	struct address_space *space;
	uint32_t id;
};

/* Finds or adds the epoch's process for an address space. */
static int get_process(struct epoch *e, const struct address_space *space, uint32_t *id)
{
	/* Generation 0 is the kernel's. */
	struct prof_process entry = {.pid = space->pid, .generation = space->generation + 1};
	int ret;

	if (epoch_tables_find_process(&e->tables, entry.generation, id))
		return 0;
	ret = epoch_tables_process(&e->tables, &entry, id);
	return ret ? ret : epoch_names_process(&e->tables, &e->sources, space, *id);
}

/*
 * The number that tells apart the distances at which @process maps the file: as many as there
 * are other distances among its mappings so far, or that of the same distance.
 */
static uint32_t instance_of(const struct epoch *e, const struct epoch_process *process,
			    const struct prof_object *object, uint64_t bias)
{
	uint32_t nr = 0;

	vec_for_each(&process->mappings, m) {
		const struct prof_object *have = &e->tables.objects.data[m->object];

		if (have->kind != object->kind || have->path != object->path ||
		    have->build_id_size != object->build_id_size ||
		    memcmp(have->build_id, object->build_id, object->build_id_size))
			continue;
		if (m->start - m->pgoff == bias)
			return have->instance;
		if (have->instance >= nr)
			nr = have->instance + 1;
	}
	return nr;
}

static const enum prof_object_kind kinds[] = {
	[MAPPED_FILE] = PROF_OBJECT_FILE,
	[MAPPED_ANON] = PROF_OBJECT_ANON,
	[MAPPED_VDSO] = PROF_OBJECT_VDSO,
};

static void set_build_id(struct prof_object *object, const struct build_id *id)
{
	object->build_id_size = id->size;
	memcpy(object->build_id, id->bytes, id->size);
}

/*
 * Does a process that says where its own code is have it in memory like this? An unnamed file, too:
 * some map one twice, to write here and run there.
 */
static bool is_jit(struct epoch *e, const struct address_space *space,
		   const struct mapped_file *file)
{
	bool can_be = file->kind == MAPPED_ANON ||
		      (file->kind == MAPPED_FILE && !strncmp(file->path, "/memfd:", 7) &&
		       build_id_is_none(mapped_file_build_id(file)));

	return can_be && e->sources.jit && jit_has_map(e->sources.jit, space);
}

/* No two processes may share the object, and its offsets are the map's: addresses. */
static int make_jit(struct epoch *e, const struct address_space *space, struct prof_object *object,
		    struct prof_mapping *used)
{
	char path[64];

	*object = (struct prof_object){.kind = PROF_OBJECT_JIT,
				       .instance = (uint32_t)(space->generation + 1)};
	used->pgoff = used->start;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", space->pid);
	return epoch_tables_string(&e->tables, path, strlen(path), &object->path);
}

static int make_object(struct epoch *e, const struct epoch_process *process,
		       const struct mapped_file *file, const struct prof_mapping *used,
		       struct prof_object *object)
{
	int ret;

	*object = (struct prof_object){.kind = kinds[file->kind],
				       .flags = file->deleted ? PROF_OBJECT_DELETED : 0};
	set_build_id(object, mapped_file_build_id(file));
	if (file->kind == MAPPED_VDSO && e->sources.vdso &&
	    vdso_is_same(e->sources.vdso, used->start, used->start + used->size))
		set_build_id(object, &e->sources.vdso->build_id);
	ret = epoch_tables_string(&e->tables, file->path, strlen(file->path), &object->path);
	if (!ret)
		object->instance = instance_of(e, process, object, used->start - used->pgoff);
	return ret;
}

/*
 * Finds or adds the object and the mapping of the epoch's process for a mapping that was hit.
 * *@bias is by how much its addresses exceed offsets in the object.
 */
static int use_mapping(struct epoch *e, const struct user_process *in,
		       const struct mapping *mapping, uint32_t *object_id, uint64_t *bias)
{
	struct epoch_process *process = &e->tables.processes.data[in->id];
	struct mapped_file *file = mapping_file(&e->sources.spaces->files, mapping);
	struct prof_mapping used = {.start = mapping->start,
				    .size = mapping->end - mapping->start,
				    .pgoff = mapping->pgoff};
	struct prof_object object;
	int ret;

	proc_find_build_id(file, process->entry.pid, mapping->start, mapping->end);
	ret = is_jit(e, in->space, file) ? make_jit(e, in->space, &object, &used)
					 : make_object(e, process, file, &used, &object);
	if (!ret)
		ret = epoch_tables_object(&e->tables, &object, object_id);
	if (ret)
		return ret;
	*bias = used.start - used.pgoff;
	used.object = *object_id;
	vec_for_each(&process->mappings, m)
		if (m->object == used.object && m->start == used.start && m->size == used.size)
			return 0;
	return vec_push(&process->mappings, used);
}

static const struct mapping *find_mapping(struct epoch *e, struct address_space *space,
					  uint64_t addr, uint64_t time_ns)
{
	const struct mapping *mapping = address_space_lookup(space, addr, time_ns);

	/* Where records were dropped, or the process was hidden at the start, /proc is asked once.
	 */
	if (mapping || space->complete || space->rescanned || space->exited_ns)
		return mapping;
	/* There a process is what it is now, which says nothing of what it was before an exec. */
	if (address_spaces_find(e->sources.spaces, space->pid, UINT64_MAX) != space)
		return NULL;
	space->rescanned = true;
	/* From now on: what the side-band told of the time of the sample stays. */
	if (proc_scan_process(e->sources.spaces, space->pid, clock_monotonic_ns()))
		return NULL;
	return address_space_lookup(space, addr, time_ns);
}

/*
 * A sample in the kernel at the end of an exec belongs to the new address space already, but its
 * leaf of user space is still the call of exec in the old one.
 */
static const struct mapping *find_leaf_mapping(struct epoch *e, struct address_space *space,
					       uint64_t addr, uint64_t time_ns)
{
	const struct mapping *mapping = find_mapping(e, space, addr, time_ns);

	if (mapping || !space->older)
		return mapping;
	return address_space_lookup(space->older, addr, time_ns);
}

/* On the way through a stack. */
struct user_walk {
	/* Consecutive frames are mostly in one of two mappings: the last one. */
	uint64_t start, end, bias;
	uint32_t object;
	bool may_stray;
	bool strayed;
};

/*
 * Programs without frame pointers have anything in the register that a walk along them follows. An
 * address in no executable mapping of a process whose mappings are all known is no caller: the walk
 * has strayed, what follows means nothing, and one frame stands for it. Kept as they are, such
 * values would make nearly every stack a new one.
 */
static int translate_user(struct epoch *e, const struct user_process *process, uint64_t addr,
			  uint64_t time_ns, bool is_leaf, struct user_walk *walk, uint32_t *frame)
{
	struct address_space *space = process->space;
	bool is_exact = stack_frame_is_exact(addr);
	const struct mapping *mapping;
	int ret;

	if (is_exact)
		addr &= ~STACK_FRAME_EXACT;
	if (addr >= walk->start && addr < walk->end)
		return epoch_tables_frame(&e->tables, walk->object, addr - walk->bias, is_exact,
					  frame);
	mapping = is_leaf ? find_leaf_mapping(e, space, addr, time_ns)
			  : find_mapping(e, space, addr, time_ns);
	if (!mapping) {
		walk->strayed = walk->may_stray && !is_leaf && space->complete && !space->rescanned;
		return epoch_tables_frame(&e->tables, 0, walk->strayed ? 0 : addr,
					  is_exact && !walk->strayed, frame);
	}
	walk->start = mapping->start;
	walk->end = mapping->end;
	ret = use_mapping(e, process, mapping, &walk->object, &walk->bias);
	if (ret) {
		walk->start = walk->end = 0;
		return ret;
	}
	return epoch_tables_frame(&e->tables, walk->object, addr - walk->bias, is_exact, frame);
}

/* The program has the format's numbers for the ends of stacks that it stores. */
#define SAME_END(end, prof) _Static_assert((int)(end) == (int)(prof), #end " differs from " #prof)
SAME_END(STACK_END_FP, PROF_STACK_UNKNOWN);
SAME_END(STACK_END_ROOT, PROF_STACK_COMPLETE);
SAME_END(STACK_END_CUT, PROF_STACK_CUT);
SAME_END(STACK_END_NO_TABLE, PROF_STACK_NO_TABLE);
SAME_END(STACK_END_BAD_RULE, PROF_STACK_BAD_RULE);
SAME_END(STACK_END_UNREADABLE, PROF_STACK_UNREADABLE);
SAME_END(STACK_END_EARLY, PROF_STACK_EARLY);

static enum prof_stack_end end_of(const struct raw_stack *raw)
{
	if (raw->id == STACK_NONE)
		return PROF_STACK_UNKNOWN;
	if (raw->id == STACK_MISSED + LOSS_STORAGE_FULL)
		return PROF_STACK_MISSED_FULL;
	if (raw->id < STACK_FIRST_ID)
		return PROF_STACK_MISSED_ERROR;
	return (enum prof_stack_end)raw->end;
}

static int add_user_stack(struct epoch *e, const struct user_process *process,
			  const struct raw_stack *raw, uint64_t time_ns, uint32_t *stack)
{
	/* Tables lead to code, even if its mapping has not been heard of. */
	struct user_walk walk = {
		.may_stray = raw->end == STACK_END_FP || raw->end == STACK_END_CUT ||
			     raw->end == STACK_END_NO_TABLE || raw->end == STACK_END_EARLY};

	vec_clear(&e->scratch);
	for (size_t i = 0; i < raw->nr_frames && !walk.strayed; i++) {
		uint32_t frame;
		int ret =
			translate_user(e, process, raw->frames[i], time_ns, i == 0, &walk, &frame);

		if (!ret)
			ret = vec_push(&e->scratch, frame);
		if (ret)
			return ret;
	}
	return epoch_tables_stack(&e->tables, e->scratch.data, e->scratch.nr,
				  walk.strayed ? PROF_STACK_STRAYED : end_of(raw), stack);
}

/* The object for a kernel address; also what its offsets are relative to. */
static int kernel_object(struct epoch *e, const struct ksym_hit *hit, uint32_t *id, uint64_t *base)
{
	struct ksyms *ksyms = e->sources.ksyms;
	struct prof_object object = {0};
	struct prof_mapping mapping = {0};
	const char *name = "[kernel]";
	char module_name[80];
	int ret;

	mapping.start = ksyms->stext;
	switch (hit->part) {
	case KERNEL_IMAGE:
		object.kind = PROF_OBJECT_KERNEL;
		set_build_id(&object, &ksyms->build_id);
		break;
	case KERNEL_BPF:
		object.kind = PROF_OBJECT_BPF;
		name = "[bpf]";
		break;
	case KERNEL_MODULE:
		object.kind = PROF_OBJECT_MODULE;
		set_build_id(&object, ksyms_module_build_id(ksyms, hit->module));
		snprintf(module_name, sizeof(module_name), "[%s]",
			 ksyms->modules.data[hit->module].name);
		name = module_name;
		mapping.start = ksyms->modules.data[hit->module].start;
		mapping.size = ksyms->modules.data[hit->module].end - mapping.start;
		break;
	}
	*base = mapping.start;
	ret = epoch_tables_string(&e->tables, name, strlen(name), &object.path);
	if (!ret)
		ret = epoch_tables_object(&e->tables, &object, id);
	if (ret)
		return ret;
	mapping.object = *id;
	vec_for_each(&e->tables.processes.data[0].mappings, m)
		if (m->object == *id)
			return 0;
	return vec_push(&e->tables.processes.data[0].mappings, mapping);
}

/* Puts the symbol that covers @addr into the epoch. */
static int add_kernel_symbol(struct epoch *e, uint64_t addr)
{
	struct ksym_hit hit;
	uint32_t object;
	uint64_t base;
	int ret;

	ksyms_lookup(e->sources.ksyms, addr, &hit);
	if (!hit.name)
		return 0;
	ret = kernel_object(e, &hit, &object, &base);
	/* One that begins before its object's base ends there at the latest: offsets do not wrap.
	 */
	if (!ret && hit.start < base && hit.size > base - hit.start)
		hit.size = base - hit.start;
	return ret ? ret
		   : epoch_tables_symbol(&e->tables, object, hit.start - base, hit.size, hit.name);
}

static int translate_kernel(struct epoch *e, uint64_t addr, uint32_t *frame)
{
	uint64_t hash = XXH3_64bits(&addr, sizeof(addr)), base;
	struct ksym_hit hit;
	uint32_t object;
	int ret;

	index_for_each(&e->by_kernel_addr, hash, i) {
		if (e->kernel_addrs.data[i] == addr) {
			*frame = e->kernel_frames.data[i];
			return 0;
		}
	}
	ksyms_lookup(e->sources.ksyms, addr, &hit);
	ret = kernel_object(e, &hit, &object, &base);
	if (!ret)
		ret = epoch_tables_frame(&e->tables, object, addr - base, false, frame);
	/* A leaf is looked up at its address, a caller at the byte before: both must be there. */
	if (!ret)
		ret = add_kernel_symbol(e, addr);
	if (!ret)
		ret = add_kernel_symbol(e, addr - 1);
	if (!ret)
		ret = index_insert(&e->by_kernel_addr, hash, e->kernel_addrs.nr);
	if (!ret)
		ret = vec_push(&e->kernel_addrs, addr);
	return ret ? ret : vec_push(&e->kernel_frames, *frame);
}

static int add_kernel_stack(struct epoch *e, const struct raw_stack *raw, uint32_t *stack)
{
	int ret = 0;

	index_for_each(&e->by_kernel_id, raw->id, i) {
		if (e->kernel_ids.data[i] == raw->id) {
			*stack = e->kernel_stacks.data[i];
			return 0;
		}
	}
	vec_clear(&e->scratch);
	for (size_t i = 0; !ret && i < raw->nr_frames; i++) {
		uint32_t frame;

		ret = translate_kernel(e, raw->frames[i], &frame);
		if (!ret)
			ret = vec_push(&e->scratch, frame);
	}
	if (!ret)
		ret = epoch_tables_stack(&e->tables, e->scratch.data, e->scratch.nr, end_of(raw),
					 stack);
	if (!ret)
		ret = index_insert(&e->by_kernel_id, raw->id, e->kernel_ids.nr);
	if (!ret)
		ret = vec_push(&e->kernel_ids, raw->id);
	return ret ? ret : vec_push(&e->kernel_stacks, *stack);
}

/* Adds @nr samples of @count, all taken with the mappings of @time_ns. @space: NULL for idle. */
static int add_samples(struct epoch *e, const struct raw_count *count, struct address_space *space,
		       uint64_t nr, uint64_t time_ns)
{
	const struct count_key *key = count->key;
	struct user_process process = {.space = space};
	struct prof_count row = {.count = nr};
	int ret = epoch_tables_string(&e->tables, key->comm, strnlen(key->comm, sizeof(key->comm)),
				      &row.comm);

	if (!ret && space)
		ret = get_process(e, space, &process.id);
	row.process = process.id;
	if (!ret && space)
		ret = add_user_stack(e, &process, &count->user, time_ns, &row.user_stack);
	if (!ret)
		ret = add_kernel_stack(e, &count->kernel, &row.kernel_stack);
	if (!ret)
		ret = epoch_tables_count(&e->tables, &row);
	if (!ret)
		e->samples += nr;
	return ret;
}

/*
 * How many of the samples were taken before @changed_ns, a time behind the first one. What is known
 * is the span they were taken in: they are divided as if they were spread evenly over it.
 */
static uint64_t samples_before(const struct count_value *value, uint64_t changed_ns)
{
	double share =
		(double)(changed_ns - value->first_ns) / (double)(value->last_ns - value->first_ns);
	uint64_t nr = (double)value->count * share;

	return nr < 1 ? 1 : nr >= value->count ? value->count - 1 : nr;
}

int epoch_add(struct epoch *e, const struct raw_count *count)
{
	const struct count_value *value = count->value;
	struct address_space *space = NULL;
	uint64_t changed_ns = 0, before = 0;
	int ret = 0;

	if (count->key->tgid)
		ret = address_spaces_get(e->sources.spaces, count->key->tgid, value->last_ns,
					 &space);
	if (!ret && space && value->count > 1)
		changed_ns = address_space_changed(space, value->first_ns, value->last_ns);
	if (!ret && changed_ns) {
		before = samples_before(value, changed_ns);
		ret = add_samples(e, count, space, before, value->first_ns);
	}
	return ret ? ret : add_samples(e, count, space, value->count - before, value->last_ns);
}

bool epoch_is_large(const struct epoch *e)
{
	return e->tables.stacks.nr >= LARGE_STACKS || e->tables.counts.nr >= LARGE_STACKS ||
	       e->tables.stack_frames.nr >= LARGE_STACK_FRAMES ||
	       e->tables.frames.nr >= LARGE_FRAMES || e->tables.processes.nr >= LARGE_PROCESSES;
}

size_t epoch_nr_counts(const struct epoch *e)
{
	return e->tables.counts.nr;
}

uint64_t epoch_samples(const struct epoch *e)
{
	return e->samples;
}

int epoch_finish(struct epoch *e, struct prof_epoch *tables)
{
	int ret = e->sources.vdso ? epoch_names_vdso(&e->tables, e->sources.vdso) : 0;

	if (!ret && e->sources.jit)
		ret = epoch_names_jit(&e->tables, e->sources.jit);
	return ret ? ret : epoch_tables_lay_out(&e->tables, tables);
}

int epoch_reset(struct epoch *e)
{
	index_clear(&e->by_kernel_addr);
	index_clear(&e->by_kernel_id);
	vec_clear(&e->kernel_addrs);
	vec_clear(&e->kernel_frames);
	vec_clear(&e->kernel_ids);
	vec_clear(&e->kernel_stacks);
	e->samples = 0;
	if (e->sources.jit)
		jit_reset(e->sources.jit);
	return epoch_tables_reset(&e->tables);
}

int epoch_create(const struct epoch_sources *sources, struct epoch **epoch)
{
	struct epoch *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->sources = *sources;
	if (epoch_reset(e)) {
		epoch_destroy(e);
		return -ENOMEM;
	}
	*epoch = e;
	return 0;
}

void epoch_destroy(struct epoch *e)
{
	if (!e)
		return;
	epoch_tables_deinit(&e->tables);
	vec_free(&e->kernel_addrs);
	vec_free(&e->kernel_frames);
	vec_free(&e->kernel_ids);
	vec_free(&e->kernel_stacks);
	vec_free(&e->scratch);
	index_deinit(&e->by_kernel_addr);
	index_deinit(&e->by_kernel_id);
	free(e);
}
