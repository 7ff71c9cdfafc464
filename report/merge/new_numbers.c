// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/merge/new_numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
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
		if (first == i)
			ret = index_insert(&firsts, hash, i);
		if (!ret && *last == UINT32_MAX)
			ret = -EOVERFLOW;
	}
	index_deinit(&firsts);
	return ret;
}

/*
 * Code that a process made has the number of the process, as the format wants. A process with
 * several such objects is none of profrec's, and the others get numbers of their own. The numbers
 * of the processes are those from @first on. Returns 0 or -ENOMEM.
 */
static int number_compiled_code(struct new_numbers *numbers, const struct model *model,
				uint32_t first, uint32_t last)
{
	_cleanup_free_ bool *is_taken = calloc((size_t)last - first + 2, sizeof(*is_taken));

	if (!is_taken)
		return -ENOMEM;
	vec_for_each(&model->places, place) {
		uint32_t number = numbers->generations[place->process];

		if (model->objects.data[place->object].key.kind != PROF_OBJECT_JIT ||
		    numbers->instances[place->object] || !number || is_taken[number - first])
			continue;
		numbers->instances[place->object] = number;
		is_taken[number - first] = true;
	}
	return 0;
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
	uint32_t first = *last + 1;
	int ret;

	*numbers = (struct new_numbers){
		.generations = calloc(model->processes.nr, sizeof(*numbers->generations)),
		.instances = calloc(model->objects.nr, sizeof(*numbers->instances)),
	};
	if (!numbers->generations || !numbers->instances)
		return -ENOMEM;
	ret = number_processes(numbers, model, last);
	if (!ret)
		ret = number_compiled_code(numbers, model, first, *last);
	return ret ? ret : number_objects(numbers, model, last);
}

void new_numbers_deinit(struct new_numbers *numbers)
{
	free(numbers->generations);
	free(numbers->instances);
}
