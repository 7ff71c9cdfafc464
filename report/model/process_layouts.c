// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/process_layouts.h"

#include <errno.h>
#include <stdlib.h>

#include "common/compare.h"

static bool is_same(const struct model_process *a, const struct model_process *b)
{
	return a->pid == b->pid && a->generation == b->generation && a->recording == b->recording;
}

/* A first layout is in the model before the others. */
static int by_identity(const void *a, const void *b, void *ctx)
{
	const struct model *model = ctx;
	uint32_t id_a = *(const uint32_t *)a, id_b = *(const uint32_t *)b;
	const struct model_process *x = &model->processes.data[id_a];
	const struct model_process *y = &model->processes.data[id_b];

	COMPARE(x->pid, y->pid);
	COMPARE(x->generation, y->generation);
	COMPARE(x->recording, y->recording);
	COMPARE(id_a, id_b);
	return 0;
}

int process_layouts_init(struct process_layouts *layouts, const struct model *model)
{
	const struct model_process *processes = model->processes.data;
	size_t nr = model->processes.nr;
	uint32_t first = 0;

	*layouts = (struct process_layouts){
		.model = model,
		.first = calloc(nr + 1, sizeof(*layouts->first)),
		.begin = calloc(nr + 1, sizeof(*layouts->begin)),
		.sorted = calloc(nr + 1, sizeof(*layouts->sorted)),
	};
	if (!layouts->first || !layouts->begin || !layouts->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		layouts->sorted[i] = i;
	qsort_r(layouts->sorted, nr, sizeof(*layouts->sorted), by_identity, (void *)model);
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = layouts->sorted[i];

		if (!i || !is_same(&processes[id], &processes[first])) {
			first = id;
			layouts->begin[first] = i;
		}
		layouts->first[id] = first;
	}
	return 0;
}

void process_layouts_deinit(struct process_layouts *layouts)
{
	free(layouts->first);
	free(layouts->begin);
	free(layouts->sorted);
}

const uint32_t *process_layouts_of(const struct process_layouts *layouts, uint32_t first,
				   size_t *nr)
{
	size_t begin = layouts->begin[first], end = begin;

	while (end < layouts->model->processes.nr && layouts->first[layouts->sorted[end]] == first)
		end++;
	*nr = end - begin;
	return &layouts->sorted[begin];
}

void process_layouts_gather(const struct process_layouts *layouts, uint32_t first,
			    struct model_process *process)
{
	const struct model *model = layouts->model;
	size_t nr;
	const uint32_t *ids = process_layouts_of(layouts, first, &nr);

	*process = model->processes.data[first];
	for (size_t i = 1; i < nr; i++) {
		const struct model_process *layout = &model->processes.data[ids[i]];

		model_process_learn(process, &layout->info);
		model_process_learn_attributes(process, layout->attributes);
	}
}
