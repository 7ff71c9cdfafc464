// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/merge/new_numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "common/hash.h"

/* Returns the first layout of process @id; @firsts has those of the processes before it. */
static uint32_t first_layout(const struct model *model, struct index *firsts, uint32_t id,
			     uint64_t hash)
{
	const struct model_process *process = &model->processes.data[id];

	index_for_each(firsts, hash, i) {
		const struct model_process *have = &model->processes.data[i];

		if (have->pid == process->pid && have->generation == process->generation &&
		    have->recording == process->recording)
			return i;
	}
	return id;
}

static int number_processes(struct new_numbers *numbers, const struct model *model, uint32_t *last)
{
	struct index firsts = {0};
	int ret = 0;

	/* Process 0 is the kernel. */
	for (uint32_t i = 1; i < model->processes.nr && !ret; i++) {
		const struct model_process *process = &model->processes.data[i];
		uint64_t hash = hash_u64(process->generation ^ (uint64_t)process->pid << 32 ^
					 hash_u64(process->recording));
		uint32_t first = first_layout(model, &firsts, i, hash);

		numbers->generations[i] = first == i ? ++*last : numbers->generations[first];
		ret = index_insert(&firsts, hash, i);
		if (!ret && *last == UINT32_MAX)
			ret = -EOVERFLOW;
	}
	index_deinit(&firsts);
	return ret;
}

/* Code that a process made has the number of the process, as the format wants. */
static void number_compiled_code(struct new_numbers *numbers, const struct model *model)
{
	vec_for_each(&model->places, place)
		if (model->objects.data[place->object].key.kind == PROF_OBJECT_JIT)
			numbers->instances[place->object] = numbers->generations[place->process];
}

static int number_objects(struct new_numbers *numbers, const struct model *model, uint32_t *last)
{
	for (size_t i = 1; i < model->objects.nr; i++) {
		const struct object_key *key = &model->objects.data[i].key;

		/* Objects that differ in their files alone have different instances. */
		if (key->build_id.size && !key->has_file)
			numbers->instances[i] = key->instance;
		else if (!numbers->instances[i])
			numbers->instances[i] = ++*last;
		if (*last == UINT32_MAX)
			return -EOVERFLOW;
	}
	return 0;
}

int new_numbers_make(struct new_numbers *numbers, const struct model *model, uint32_t *last)
{
	int ret;

	*numbers = (struct new_numbers){
		.generations = calloc(model->processes.nr, sizeof(*numbers->generations)),
		.instances = calloc(model->objects.nr, sizeof(*numbers->instances)),
	};
	if (!numbers->generations || !numbers->instances)
		return -ENOMEM;
	ret = number_processes(numbers, model, last);
	if (ret)
		return ret;
	number_compiled_code(numbers, model);
	return number_objects(numbers, model, last);
}

void new_numbers_deinit(struct new_numbers *numbers)
{
	free(numbers->generations);
	free(numbers->instances);
}
