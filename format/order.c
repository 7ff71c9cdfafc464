// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Compares with a tie-break, so that one epoch always gives the same bytes. */
#define COMPARE(a, b)                                                                              \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static uint32_t *new_ids(size_t nr)
{
	return reallocarray(NULL, nr + 1, sizeof(uint32_t));
}

static void number(uint32_t *ids, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		ids[i] = i;
}

static void invert(const uint32_t *old, uint32_t *new, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		new[old[i]] = i;
}

static int compare_processes(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct prof_process *p = &o->epoch->processes[a], *q = &o->epoch->processes[b];

	COMPARE(p->pid, q->pid);
	COMPARE(p->generation, q->generation);
	COMPARE(a, b);
	return 0;
}

static int compare_mappings(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct prof_mapping *p = &o->epoch->mappings[a], *q = &o->epoch->mappings[b];

	COMPARE(p->start, q->start);
	COMPARE(p->size, q->size);
	COMPARE(a, b);
	return 0;
}

static int compare_infos(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	COMPARE(o->process_new[o->epoch->process_infos[a].process],
		o->process_new[o->epoch->process_infos[b].process]);
	return 0;
}

static int compare_symbols(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct prof_symbol *p = &o->epoch->symbols[a], *q = &o->epoch->symbols[b];

	COMPARE(p->object, q->object);
	COMPARE(p->offset, q->offset);
	COMPARE(p->size, q->size);
	COMPARE(a, b);
	return 0;
}

static int compare_frames(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct prof_frame *p = &o->epoch->frames[a], *q = &o->epoch->frames[b];

	COMPARE(p->object, q->object);
	COMPARE(p->offset, q->offset);
	COMPARE(a, b);
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

static int compare_counts(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct prof_count *p = &o->epoch->counts[a], *q = &o->epoch->counts[b];

	COMPARE(o->stack_new[p->kernel_stack], o->stack_new[q->kernel_stack]);
	COMPARE(o->stack_new[p->user_stack], o->stack_new[q->user_stack]);
	COMPARE(o->process_new[p->process], o->process_new[q->process]);
	COMPARE(o->string_new[p->comm], o->string_new[q->comm]);
	COMPARE(p->event, q->event);
	COMPARE(o->stack_new[p->waker_kernel_stack], o->stack_new[q->waker_kernel_stack]);
	COMPARE(o->stack_new[p->waker_user_stack], o->stack_new[q->waker_user_stack]);
	COMPARE(a, b);
	return 0;
}

static int order_processes(struct order *o)
{
	const struct prof_epoch *e = o->epoch;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < e->nr_processes; i++)
		nr += e->processes[i].nr_mappings;
	o->process_old = new_ids(e->nr_processes);
	o->process_new = new_ids(e->nr_processes);
	o->mapping_old = new_ids(nr);
	if (!o->process_old || !o->process_new || !o->mapping_old)
		return -ENOMEM;
	number(o->process_old, e->nr_processes);
	qsort_r(o->process_old + 1, e->nr_processes - 1, sizeof(uint32_t), compare_processes, o);
	invert(o->process_old, o->process_new, e->nr_processes);
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

static int order_infos(struct order *o)
{
	o->info_old = new_ids(o->epoch->nr_process_infos);
	if (!o->info_old)
		return -ENOMEM;
	number(o->info_old, o->epoch->nr_process_infos);
	qsort_r(o->info_old, o->epoch->nr_process_infos, sizeof(uint32_t), compare_infos, o);
	return 0;
}

static int order_symbols(struct order *o)
{
	o->symbol_old = new_ids(o->epoch->nr_symbols);
	if (!o->symbol_old)
		return -ENOMEM;
	number(o->symbol_old, o->epoch->nr_symbols);
	qsort_r(o->symbol_old, o->epoch->nr_symbols, sizeof(uint32_t), compare_symbols, o);
	return 0;
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

	o->string_old = new_ids(e->nr_strings);
	o->string_new = new_ids(e->nr_strings);
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
	for (uint32_t i = 0; i < e->nr_symbols; i++)
		use_string(o, e->symbols[o->symbol_old[i]].name, &nr);
	for (uint32_t i = 0; i < e->nr_strings; i++)
		use_string(o, i, &nr);
	return 0;
}

static int order_frames(struct order *o)
{
	const struct prof_epoch *e = o->epoch;

	o->frame_old = new_ids(e->nr_frames);
	o->frame_new = new_ids(e->nr_frames);
	if (!o->frame_old || !o->frame_new)
		return -ENOMEM;
	number(o->frame_old, e->nr_frames);
	qsort_r(o->frame_old, e->nr_frames, sizeof(uint32_t), compare_frames, o);
	invert(o->frame_old, o->frame_new, e->nr_frames);
	return 0;
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

	o->exact_new = new_ids(e->nr_exact_frames);
	if (!o->exact_new)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nr_exact_frames; i++)
		o->exact_new[i] = o->frame_new[e->exact_frames[i]];
	qsort(o->exact_new, e->nr_exact_frames, sizeof(uint32_t), compare_numbers);
	return 0;
}

static int order_stacks(struct order *o)
{
	const struct prof_epoch *e = o->epoch;
	uint32_t *frame;
	size_t nr = 0;

	for (uint32_t i = 0; i < e->nr_stacks; i++)
		nr += e->stacks[i].nr_frames;
	o->stack_old = new_ids(e->nr_stacks);
	o->stack_new = new_ids(e->nr_stacks);
	o->root_first = new_ids(e->nr_stacks);
	o->root_frames = new_ids(nr);
	if (!o->stack_old || !o->stack_new || !o->root_first || !o->root_frames)
		return -ENOMEM;
	frame = o->root_frames;
	for (uint32_t i = 0; i < e->nr_stacks; i++) {
		const struct prof_stack *stack = &e->stacks[i];

		o->root_first[i] = frame - o->root_frames;
		for (uint32_t j = stack->nr_frames; j-- > 0;)
			*frame++ = o->frame_new[e->stack_frames[stack->first_frame + j]];
	}
	number(o->stack_old, e->nr_stacks);
	qsort_r(o->stack_old + 1, e->nr_stacks - 1, sizeof(uint32_t), compare_stacks, o);
	invert(o->stack_old, o->stack_new, e->nr_stacks);
	return 0;
}

static int order_counts(struct order *o)
{
	o->count_old = new_ids(o->epoch->nr_counts);
	if (!o->count_old)
		return -ENOMEM;
	number(o->count_old, o->epoch->nr_counts);
	qsort_r(o->count_old, o->epoch->nr_counts, sizeof(uint32_t), compare_counts, o);
	return 0;
}

int order_init(struct order *order, const struct prof_epoch *epoch)
{
	int ret;

	*order = (struct order){.epoch = epoch};
	ret = order_processes(order);
	if (!ret)
		ret = order_infos(order);
	if (!ret)
		ret = order_symbols(order);
	if (!ret)
		ret = order_strings(order);
	if (!ret)
		ret = order_frames(order);
	if (!ret)
		ret = order_exact_frames(order);
	if (!ret)
		ret = order_stacks(order);
	if (!ret)
		ret = order_counts(order);
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
