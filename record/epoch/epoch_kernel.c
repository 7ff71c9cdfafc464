// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_kernel.h"

#include <stdio.h>
#include <string.h>

#include "common/hash.h"

static bool find_translation(const struct translations *t, uint64_t key, uint32_t *id)
{
	index_for_each(&t->by_key, hash_u64(key), i) {
		if (t->all.data[i].key == key) {
			*id = t->all.data[i].id;
			return true;
		}
	}
	return false;
}

static int add_translation(struct translations *t, uint64_t key, uint32_t id)
{
	struct translation translation = {key, id};

	return index_push(&t->by_key, &t->all, hash_u64(key), translation);
}

static void clear_translations(struct translations *t)
{
	vec_clear(&t->all);
	index_clear(&t->by_key);
}

static void free_translations(struct translations *t)
{
	vec_free(&t->all);
	index_deinit(&t->by_key);
}

/* The object for a kernel address, and the base of its offsets. */
static int get_object(struct epoch_kernel *k, const struct ksym_hit *hit, uint32_t *id,
		      uint64_t *base)
{
	struct ksyms *ksyms = k->ksyms;
	struct prof_object object = {0};
	struct prof_mapping mapping = {0};
	const char *name = "[kernel]";
	char module_name[80];
	int ret;

	mapping.start = ksyms->stext;
	switch (hit->part) {
	case KERNEL_IMAGE:
		object.kind = PROF_OBJECT_KERNEL;
		epoch_object_set_build_id(&object, &ksyms->build_id);
		break;
	case KERNEL_BPF:
		object.kind = PROF_OBJECT_BPF;
		object.instance = hit->instance;
		name = "[bpf]";
		break;
	case KERNEL_MODULE:
		object.kind = PROF_OBJECT_MODULE;
		epoch_object_set_build_id(&object, ksyms_module_build_id(ksyms, hit->module));
		snprintf(module_name, sizeof(module_name), "[%s]",
			 ksyms->modules.data[hit->module].name);
		name = module_name;
		mapping.start = ksyms->modules.data[hit->module].start;
		mapping.size = ksyms->modules.data[hit->module].end - mapping.start;
		break;
	}
	*base = mapping.start;
	ret = epoch_tables_string(k->tables, name, strlen(name), &object.path);
	if (!ret)
		ret = epoch_tables_object(k->tables, &object, id);
	if (ret)
		return ret;
	mapping.object = *id;
	vec_for_each(&k->tables->processes.data[0].mappings, m)
		if (m->object == *id)
			return 0;
	return epoch_tables_mapping(k->tables, 0, &mapping);
}

/* Puts the symbol that covers @addr at @time_ns into the epoch. */
static int add_symbol(struct epoch_kernel *k, uint64_t addr, uint64_t time_ns)
{
	struct ksym_hit hit;
	uint32_t object;
	uint64_t base;
	int ret;

	ksyms_lookup(k->ksyms, addr, time_ns, &hit);
	if (!hit.name)
		return 0;
	ret = get_object(k, &hit, &object, &base);
	/*
	 * A symbol that begins before its object's base ends there at the latest, so that offsets
	 * do not wrap.
	 */
	if (!ret && hit.start < base && hit.size > base - hit.start)
		hit.size = base - hit.start;
	return ret ? ret
		   : epoch_tables_symbol(k->tables, object, hit.start - base, hit.size, hit.name);
}

/* Sets *@changes if the frame means another thing at another time. */
static int add_frame(struct epoch_kernel *k, uint64_t addr, uint64_t time_ns, uint32_t *frame,
		     bool *changes)
{
	struct ksym_hit hit;
	uint32_t object;
	uint64_t base;
	int ret;

	if (find_translation(&k->frames, addr, frame))
		return 0;
	ksyms_lookup(k->ksyms, addr, time_ns, &hit);
	ret = get_object(k, &hit, &object, &base);
	if (!ret)
		ret = epoch_tables_frame(k->tables, object, addr - base, false, frame);
	/* A leaf is looked up at its address, a caller at the byte before: both must be there. */
	if (!ret)
		ret = add_symbol(k, addr, time_ns);
	if (!ret)
		ret = add_symbol(k, addr - 1, time_ns);
	if (ret || hit.since_ns) {
		*changes = true;
		return ret;
	}
	return add_translation(&k->frames, addr, *frame);
}

int epoch_kernel_add(struct epoch_kernel *k, const struct raw_stack *raw, uint64_t time_ns,
		     uint32_t *stack)
{
	bool changes = false;
	int ret = 0;

	/* Other code may be at an address that was translated before. */
	if (k->nr_changes != k->ksyms->nr_changes)
		epoch_kernel_reset(k);

	if (find_translation(&k->stacks, raw->id, stack))
		return 0;
	vec_clear(&k->scratch);
	for (size_t i = 0; !ret && i < raw->nr_frames; i++) {
		uint32_t frame;

		ret = add_frame(k, raw->frames[i], time_ns, &frame, &changes);
		if (!ret)
			ret = vec_push(&k->scratch, frame);
	}
	if (!ret)
		ret = epoch_tables_stack(k->tables, k->scratch.data, k->scratch.nr,
					 raw_stack_end(raw), stack);
	return ret || changes ? ret : add_translation(&k->stacks, raw->id, *stack);
}

void epoch_kernel_reset(struct epoch_kernel *k)
{
	clear_translations(&k->frames);
	clear_translations(&k->stacks);
	k->nr_changes = k->ksyms ? k->ksyms->nr_changes : 0;
}

void epoch_kernel_deinit(struct epoch_kernel *k)
{
	free_translations(&k->frames);
	free_translations(&k->stacks);
	vec_free(&k->scratch);
}
