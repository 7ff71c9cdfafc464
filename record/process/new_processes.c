// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/new_processes.h"

#include <errno.h>

#include "common/hash.h"

int new_processes_add(struct new_processes *new_processes, const struct address_space *space)
{
	struct new_process newcomer = {.pid = space->pid, .generation = space->generation};

	return vec_push(&new_processes->waiting, newcomer);
}

static size_t bytes_of(const struct new_process *process)
{
	return sizeof(*process) + vec_bytes(&process->info.exe) + vec_bytes(&process->info.cgroup);
}

static void release_process(struct new_processes *new_processes, struct new_process *process)
{
	memory_budget_charge(new_processes->memory, bytes_of(process), 0);
	proc_info_deinit(&process->info);
}

static int read_process(struct new_processes *new_processes, struct looker *looker,
			const struct new_process *newcomer)
{
	struct new_process process = *newcomer;
	int ret = proc_info_read(looker, process.pid, &process.info);
	bool is_there = process.info.identity.name[0]; /* mostly it has gone by now */

	if (!ret && is_there)
		ret = index_push(&new_processes->by_generation, &new_processes->known,
				 hash_u64(process.generation), process);
	if (ret || !is_there)
		proc_info_deinit(&process.info);
	else
		memory_budget_charge(new_processes->memory, 0, bytes_of(&process));
	return ret;
}

int new_processes_read(struct new_processes *new_processes, const struct address_spaces *spaces)
{
	int ret = 0;

	vec_for_each(&new_processes->waiting, newcomer) {
		const struct address_space *space =
			address_spaces_find(spaces, newcomer->pid, UINT64_MAX);

		/* An exec replaces the address space that a fork began, and is noted itself. */
		if (!space || space->generation != newcomer->generation || space->exited_ns)
			continue;
		if (memory_budget_is_used(new_processes->memory, MEMORY_DESCRIPTIONS)) {
			new_processes->nr_left_out++;
			continue;
		}
		ret = read_process(new_processes, spaces->files.looker, newcomer);
		if (ret)
			break;
	}
	vec_clear(&new_processes->waiting);
	return ret;
}

const struct proc_info *new_processes_find(const struct new_processes *new_processes,
					   const struct address_space *space)
{
	index_for_each(&new_processes->by_generation, hash_u64(space->generation), i)
		if (new_processes->known.data[i].generation == space->generation)
			return &new_processes->known.data[i].info;
	return NULL;
}

int new_processes_forget(struct new_processes *new_processes, const struct address_spaces *spaces)
{
	size_t nr = 0;
	int ret = 0;

	vec_for_each(&new_processes->known, process) {
		if (address_spaces_has(spaces, process->pid, process->generation))
			new_processes->known.data[nr++] = *process;
		else
			release_process(new_processes, process);
	}
	if (nr == new_processes->known.nr)
		return 0;
	new_processes->known.nr = nr;
	index_clear(&new_processes->by_generation);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = index_insert(&new_processes->by_generation,
				   hash_u64(new_processes->known.data[i].generation), i);
	return ret;
}

void new_processes_deinit(struct new_processes *new_processes)
{
	vec_for_each(&new_processes->known, process)
		release_process(new_processes, process);
	vec_free(&new_processes->waiting);
	vec_free(&new_processes->known);
	index_deinit(&new_processes->by_generation);
}
