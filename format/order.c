// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"

/* Compares a member of two rows, or the new ids of two rows of another table. */
#define BY(member)          COMPARE(p->member, q->member);
#define BY_NEW(new, member) COMPARE(o->new[p->member], o->new[q->member]);

/*
 * Defines compare_TABLE for qsort_r, which compares two ids of rows by @keys. The ids break ties,
 * so one epoch always gives the same bytes.
 */
#define COMPARE_ROWS(table, keys)                                                                  \
	static int compare_##table(const void *pa, const void *pb, void *arg)                      \
	{                                                                                          \
		const struct order *o = arg;                                                       \
		uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;                     \
		__auto_type p = &o->epoch->table[a];                                               \
		__auto_type q = &o->epoch->table[b];                                               \
                                                                                                   \
		keys COMPARE(a, b);                                                                \
		return 0;                                                                          \
	}

COMPARE_ROWS(processes, BY(pid) BY(generation))
COMPARE_ROWS(mappings, BY(start) BY(size))
COMPARE_ROWS(process_infos, BY_NEW(process_new, process))
COMPARE_ROWS(process_attributes, BY_NEW(process_new, process))
COMPARE_ROWS(symbols, BY(object) BY(offset) BY(size))
COMPARE_ROWS(frames, BY(object) BY(offset))

#define COUNT_KEYS                                                                                 \
	BY_NEW(stack_new, kernel_stack)                                                            \
	BY_NEW(stack_new, user_stack)                                                              \
	BY_NEW(process_new, process)                                                               \
	BY_NEW(string_new, comm)                                                                   \
	BY(tid)                                                                                    \
	BY(event)                                                                                  \
	BY_NEW(stack_new, waker_kernel_stack)                                                      \
	BY_NEW(stack_new, waker_user_stack)                                                        \
	BY(label_set)

COMPARE_ROWS(counts, COUNT_KEYS)

static uint32_t *make_ids(size_t nr)
{
	return reallocarray(NULL, nr + 1, sizeof(uint32_t));
}

/* Makes the inverse of @old. Returns 0 or -ENOMEM. */
static int invert_ids(const uint32_t *old, uint32_t nr, uint32_t **new)
{
	*new = make_ids(nr);
	if (!*new)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		(*new)[old[i]] = i;
	return 0;
}

typedef int (*compare_fn)(const void *pa, const void *pb, void *o);

/* Makes the ids below @nr, sorted by @compare. Returns 0 or -ENOMEM. */
static int sort_ids(struct order *o, compare_fn compare, uint32_t nr, uint32_t **old)
{
	*old = make_ids(nr);
	if (!*old)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		(*old)[i] = i;
	qsort_r(*old, nr, sizeof(uint32_t), compare, o);
	return 0;
}

/* Orders the mappings of each process, in the order of the processes. */
static int order_mappings(struct order *o)
{
	const struct prof_epoch *e = o->epoch;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < e->nr_processes; i++)
		nr += e->processes[i].nr_mappings;
	o->mapping_old = make_ids(nr);
	if (!o->mapping_old)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nr_processes; i++) {
		const struct prof_process *process = &e->processes[o->process_old[i]];
		uint32_t *ids = o->mapping_old + o->nr_mappings;

		for (uint32_t j = 0; j < process->nr_mappings; j++)
			ids[j] = process->first_mapping + j;
		qsort_r(ids, process->nr_mappings, sizeof(uint32_t), compare_mappings, o);
		o->nr_mappings += process->nr_mappings;
	}
	return 0;
}

static int order_processes(struct order *o)
{
	uint32_t nr = o->epoch->nr_processes;
	int ret = sort_ids(o, compare_processes, nr, &o->process_old);

	if (!ret)
		ret = invert_ids(o->process_old, nr, &o->process_new);
	return ret ? ret : order_mappings(o);
}

static int order_infos(struct order *o)
{
	return sort_ids(o, compare_process_infos, o->epoch->nr_process_infos, &o->info_old);
}

static int order_attributes(struct order *o)
{
	return sort_ids(o, compare_process_attributes, o->epoch->nr_process_attributes,
			&o->attribute_old);
}

static int order_symbols(struct order *o)
{
	return sort_ids(o, compare_symbols, o->epoch->nr_symbols, &o->symbol_old);
}

static void use_string(struct order *o, uint32_t string, uint32_t *nr)
{
	if (o->string_new[string] == UINT32_MAX) {
		o->string_new[string] = *nr;
		o->string_old[(*nr)++] = string;
	}
}

static int order_strings(struct order *o)
{
	const struct prof_epoch *e = o->epoch;
	uint32_t nr = 0;

	o->string_old = make_ids(e->nr_strings);
	o->string_new = make_ids(e->nr_strings);
	if (!o->string_old || !o->string_new)
		return -ENOMEM;
	memset(o->string_new, 0xff, e->nr_strings * sizeof(uint32_t));
	use_string(o, 0, &nr);
	for (uint32_t i = 0; i < e->nr_counts; i++)
		use_string(o, e->counts[i].comm, &nr);
	for (uint32_t i = 0; i < e->nr_objects; i++)
		use_string(o, e->objects[i].path, &nr);
	for (uint32_t i = 0; i < e->nr_process_infos; i++) {
		const struct prof_process_info *info = &e->process_infos[o->info_old[i]];

		use_string(o, info->name, &nr);
		use_string(o, info->exe, &nr);
		use_string(o, info->cgroup, &nr);
	}
	for (uint32_t i = 0; i < e->nr_process_attributes; i++) {
		const struct prof_process_attribute *attribute =
			&e->process_attributes[o->attribute_old[i]];

		use_string(o, attribute->key, &nr);
		use_string(o, attribute->value, &nr);
	}
	for (uint32_t i = 0; i < e->nr_labels; i++) {
		use_string(o, e->labels[i].key, &nr);
		use_string(o, e->labels[i].value, &nr);
	}
	for (uint32_t i = 0; i < e->nr_languages; i++) {
		use_string(o, e->languages[i].name, &nr);
		use_string(o, e->languages[i].version, &nr);
	}
	for (uint32_t i = 0; i < e->nr_symbols; i++)
		use_string(o, e->symbols[o->symbol_old[i]].name, &nr);
	for (uint32_t i = 0; i < e->nr_source_frames; i++) {
		use_string(o, e->source_frames[i].name, &nr);
		use_string(o, e->source_frames[i].file, &nr);
	}
	for (uint32_t i = 0; i < e->nr_name_sources; i++)
		use_string(o, e->name_sources[i].file, &nr);
	for (uint32_t i = 0; i < e->nr_strings; i++)
		use_string(o, i, &nr);
	return 0;
}

static int order_frames(struct order *o)
{
	uint32_t nr = o->epoch->nr_frames;
	int ret = sort_ids(o, compare_frames, nr, &o->frame_old);

	return ret ? ret : invert_ids(o->frame_old, nr, &o->frame_new);
}

static int compare_numbers(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	COMPARE(a, b);
	return 0;
}

static int order_exact_frames(struct order *o)
{
	const struct prof_epoch *e = o->epoch;

	o->exact_new = make_ids(e->nr_exact_frames);
	if (!o->exact_new)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nr_exact_frames; i++)
		o->exact_new[i] = o->frame_new[e->exact_frames[i]];
	qsort(o->exact_new, e->nr_exact_frames, sizeof(uint32_t), compare_numbers);
	return 0;
}

static int compare_stacks(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct prof_stack *p = &o->epoch->stacks[a], *q = &o->epoch->stacks[b];
	const uint32_t *f = o->root_frames + o->root_first[a];
	const uint32_t *g = o->root_frames + o->root_first[b];

	for (uint32_t i = 0; i < p->nr_frames && i < q->nr_frames; i++)
		COMPARE(f[i], g[i]);
	COMPARE(p->nr_frames, q->nr_frames);
	COMPARE(p->end, q->end);
	COMPARE(a, b);
	return 0;
}

/* Makes root_first and root_frames. */
static int reverse_stacks(struct order *o)
{
	const struct prof_epoch *e = o->epoch;
	uint32_t *frame;
	size_t nr = 0;

	for (uint32_t i = 0; i < e->nr_stacks; i++)
		nr += e->stacks[i].nr_frames;
	o->root_first = make_ids(e->nr_stacks);
	o->root_frames = make_ids(nr);
	if (!o->root_first || !o->root_frames)
		return -ENOMEM;
	frame = o->root_frames;
	for (uint32_t i = 0; i < e->nr_stacks; i++) {
		const struct prof_stack *stack = &e->stacks[i];

		o->root_first[i] = frame - o->root_frames;
		for (uint32_t j = stack->nr_frames; j-- > 0;)
			*frame++ = o->frame_new[e->stack_frames[stack->first_frame + j]];
	}
	return 0;
}

static int order_stacks(struct order *o)
{
	uint32_t nr = o->epoch->nr_stacks;
	int ret = reverse_stacks(o);

	if (!ret)
		ret = sort_ids(o, compare_stacks, nr, &o->stack_old);
	return ret ? ret : invert_ids(o->stack_old, nr, &o->stack_new);
}

static int order_counts(struct order *o)
{
	return sort_ids(o, compare_counts, o->epoch->nr_counts, &o->count_old);
}

int order_init(struct order *order, const struct prof_epoch *epoch)
{
	/* Each step uses the order of the steps before it. */
	static int (*const steps[])(struct order * o) = {
		order_processes, order_infos,        order_attributes, order_symbols, order_strings,
		order_frames,    order_exact_frames, order_stacks,     order_counts,
	};
	int ret = 0;

	*order = (struct order){.epoch = epoch};
	for (size_t i = 0; !ret && i < ARRAY_SIZE(steps); i++)
		ret = steps[i](order);
	return ret;
}

void order_deinit(struct order *order)
{
	free(order->string_old);
	free(order->string_new);
	free(order->process_old);
	free(order->process_new);
	free(order->mapping_old);
	free(order->info_old);
	free(order->attribute_old);
	free(order->symbol_old);
	free(order->frame_old);
	free(order->frame_new);
	free(order->exact_new);
	free(order->stack_old);
	free(order->stack_new);
	free(order->root_first);
	free(order->root_frames);
	free(order->count_old);
}
