// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/new_processes.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "record/looks/process_context.h"
#include "record/looks/process_environment.h"

/* Programs take longer to come to life than to publish what they are. */
#define CONTEXT_AGE_MIN_NS 500000000

int new_processes_add(struct new_processes *new_processes, const struct address_space *space)
{
	struct new_process newcomer = {.pid = space->pid, .generation = space->generation};

	return vec_push(&new_processes->waiting, newcomer);
}

int new_processes_begin(struct new_processes *new_processes, const struct address_space *space)
{
	return new_processes->are_told ? 0 : new_processes_add(new_processes, space);
}

static size_t bytes_of(const struct new_process *process)
{
	return sizeof(*process) + vec_bytes(&process->info.exe) + vec_bytes(&process->info.cgroup) +
	       vec_bytes(&process->info.attributes);
}

static void release_process(struct new_processes *new_processes, struct new_process *process)
{
	memory_budget_charge(new_processes->memory, bytes_of(process), 0);
	proc_info_deinit(&process->info);
}

static struct new_process *find_known(const struct new_processes *new_processes,
				      uint64_t generation)
{
	index_for_each(&new_processes->by_generation, hash_u64(generation), i)
		if (new_processes->known.data[i].generation == generation)
			return &new_processes->known.data[i];
	return NULL;
}

/* Keeps @process, with its info. Returns 0, or -ENOMEM: then the info stays the caller's. */
static int keep_process(struct new_processes *new_processes, const struct new_process *process)
{
	int ret = index_push(&new_processes->by_generation, &new_processes->known,
			     hash_u64(process->generation), *process);

	if (!ret)
		memory_budget_charge(new_processes->memory, 0, bytes_of(process));
	return ret;
}

/* Puts @info, of /proc, in the place of what was known. @info holds that afterwards. */
static int improve_process(struct new_processes *new_processes, struct new_process *known,
			   struct proc_info *info)
{
	struct proc_info before = known->info;
	size_t bytes = bytes_of(known);
	int ret = info->cgroup.nr ? cgroup_paths_learn(&new_processes->cgroups, known->cgroup,
						       info->cgroup.data)
				  : 0;

	if (!ret)
		ret = proc_info_fill(info, &before);
	if (ret)
		return ret;
	known->info = *info;
	*info = before;
	memory_budget_charge(new_processes->memory, bytes, bytes_of(known));
	return 0;
}

/*
 * Reads the context of @space into @info. Nothing tells when a process publishes one, and the
 * search reads all of its mappings. So it searches after the 1st, 2nd, 4th, 8th, ... epoch in which
 * the process was sampled, and not in the first half second of a process.
 */
static int read_context(struct new_processes *new_processes, const struct address_spaces *spaces,
			const struct address_space *space, struct proc_info *info)
{
	struct new_process *known = find_known(new_processes, space->generation);
	uint64_t addr = known ? known->context : 0;
	unsigned int nr = known ? known->nr_searches + 1 : 1;
	int ret;

	if (!info->identity.name[0] || clock_monotonic_ns() < space->begin_ns + CONTEXT_AGE_MIN_NS)
		return 0;
	if (known)
		known->nr_searches = nr;
	if (!addr && nr & (nr - 1))
		return 0;
	ret = process_context_read(spaces->files.looker, space->pid, &addr, &info->attributes);
	if (known)
		known->context = addr;
	return ret;
}

/* Reads the environment of @space into @info. It is as old as the address space, and stays. */
static int read_environment(struct new_processes *new_processes,
			    const struct address_spaces *spaces, const struct address_space *space,
			    struct proc_info *info)
{
	const struct new_process *known = find_known(new_processes, space->generation);

	if (!new_processes->reads_environment || !info->identity.name[0] || info->attributes.nr ||
	    (known && known->has_environment))
		return 0;
	return process_environment_read(spaces->files.looker, space->pid, &info->attributes);
}

/* Keeps the attributes of @info, which are of the environment if nothing was known before. */
static int keep_attributes(struct new_processes *new_processes, const struct address_space *space,
			   const struct proc_info *info)
{
	struct new_process *known = find_known(new_processes, space->generation);
	size_t bytes;
	int ret;

	if (!new_processes->reads_environment || !known || !info->identity.name[0])
		return 0;
	known->has_environment = true;
	if (known->info.attributes.nr)
		return 0;
	bytes = bytes_of(known);
	ret = vec_append(&known->info.attributes, info->attributes.data, info->attributes.nr);
	memory_budget_charge(new_processes->memory, bytes, bytes_of(known));
	return ret;
}

int new_processes_look(struct new_processes *new_processes, const struct address_spaces *spaces,
		       const struct address_space *space, struct proc_info *info)
{
	const char_vec *container;
	int ret = 0;

	/* The pid of a process that has ended may be that of another one by now. */
	proc_info_clear(info);
	if (!space->exited_ns)
		ret = proc_info_read(spaces->files.looker, space->pid, info);
	if (!ret)
		ret = read_context(new_processes, spaces, space, info);
	if (!ret)
		ret = read_environment(new_processes, spaces, space, info);
	/* The record of a new address space is there before /proc can be asked for that. */
	if (new_processes->has_changed &&
	    new_processes->has_changed(new_processes->ctx, space->pid))
		proc_info_clear(info);
	/* An engine may remove its file with the container. */
	if (!ret && info->cgroup.nr)
		ret = container_names_find(&new_processes->containers, info->cgroup.data,
					   &container);
	return ret ? ret : keep_attributes(new_processes, space, info);
}

static int read_process(struct new_processes *new_processes, const struct address_spaces *spaces,
			const struct address_space *space)
{
	struct new_process *known = find_known(new_processes, space->generation);
	struct new_process process = {.pid = space->pid, .generation = space->generation};
	int ret = new_processes_look(new_processes, spaces, space, &process.info);
	bool is_there = process.info.identity.name[0]; /* mostly it has gone by now */

	if (!ret && is_there && !known) {
		ret = keep_process(new_processes, &process);
		if (!ret)
			return 0;
	} else if (!ret && is_there) {
		ret = improve_process(new_processes, known, &process.info);
	}
	proc_info_deinit(&process.info);
	return ret;
}

int new_processes_tell(struct new_processes *new_processes, const struct told_process *told)
{
	/* The cgroup may be removed when its last process ends, so its path is looked up now. */
	int ret = cgroup_paths_look(&new_processes->cgroups, told->cgroup);

	return ret ? ret : vec_push(&new_processes->told, *told);
}

/* Keeps what was told of the process, and has it looked at. */
static int take_told(struct new_processes *new_processes, struct address_spaces *spaces,
		     const struct told_process *told)
{
	const char *path = cgroup_paths_find(&new_processes->cgroups, told->cgroup);
	struct new_process process = {.pid = told->tgid, .cgroup = told->cgroup};
	struct proc_identity *identity = &process.info.identity;
	struct address_space *space;
	int ret = address_spaces_get(spaces, told->tgid, told->time_ns, &space);

	if (ret || find_known(new_processes, space->generation))
		return ret;
	if (memory_budget_is_used(new_processes->memory, MEMORY_DESCRIPTIONS)) {
		new_processes->nr_left_out++;
		return 0;
	}
	process.generation = space->generation;
	identity->uid = told->uid;
	identity->ns_pid = told->ns_tgid;
	memcpy(identity->name, told->name, sizeof(told->name) - 1);
	if (path)
		ret = vec_append(&process.info.cgroup, path, strlen(path) + 1);
	if (!ret)
		ret = new_processes_add(new_processes, space);
	if (!ret)
		ret = keep_process(new_processes, &process);
	if (ret)
		proc_info_deinit(&process.info);
	return ret;
}

static int take_all_told(struct new_processes *new_processes, struct address_spaces *spaces,
			 uint64_t until_ns)
{
	size_t nr = 0;
	int ret = 0;

	vec_for_each(&new_processes->told, told) {
		if (told->time_ns > until_ns || ret)
			new_processes->told.data[nr++] = *told;
		else
			ret = take_told(new_processes, spaces, told);
	}
	new_processes->told.nr = nr;
	return ret;
}

int new_processes_read(struct new_processes *new_processes, struct address_spaces *spaces,
		       uint64_t until_ns)
{
	int ret = take_all_told(new_processes, spaces, until_ns);

	vec_for_each(&new_processes->waiting, newcomer) {
		const struct address_space *space =
			address_spaces_find(spaces, newcomer->pid, UINT64_MAX);

		if (ret)
			break;
		/* An exec replaces the address space that a fork began, and is noted itself. */
		if (!space || space->generation != newcomer->generation || space->exited_ns)
			continue;
		if (memory_budget_is_used(new_processes->memory, MEMORY_DESCRIPTIONS)) {
			new_processes->nr_left_out++;
			continue;
		}
		ret = read_process(new_processes, spaces, space);
	}
	vec_clear(&new_processes->waiting);
	return ret;
}

const struct proc_info *new_processes_find(const struct new_processes *new_processes,
					   const struct address_space *space)
{
	const struct new_process *known = find_known(new_processes, space->generation);

	return known ? &known->info : NULL;
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
	vec_free(&new_processes->told);
	vec_free(&new_processes->waiting);
	vec_free(&new_processes->known);
	cgroup_paths_deinit(&new_processes->cgroups);
	container_names_deinit(&new_processes->containers);
	index_deinit(&new_processes->by_generation);
}
