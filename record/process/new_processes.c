// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/new_processes.h"

#include <errno.h>
#include <stdlib.h>

#include "record/proc/proc_info.h"

int new_processes_add(struct new_processes *new_processes, const struct address_space *space)
{
	struct new_process newcomer = {.pid = space->pid, .generation = space->generation};

	return vec_push(&new_processes->waiting, newcomer);
}

static int read_one(struct address_space *space)
{
	int ret;

	if (!space->info)
		space->info = calloc(1, sizeof(*space->info));
	if (!space->info)
		return -ENOMEM;
	ret = proc_info_read(space->pid, space->info);
	/* Mostly it has gone by now. */
	if (ret || !space->info->identity.name[0]) {
		proc_info_deinit(space->info);
		free(space->info);
		space->info = NULL;
	}
	return ret;
}

int new_processes_read(struct new_processes *new_processes, const struct address_spaces *spaces)
{
	int ret = 0;

	vec_for_each(&new_processes->waiting, newcomer) {
		struct address_space *space =
			address_spaces_find(spaces, newcomer->pid, UINT64_MAX);

		/* A fork's space is gone by its exec, which is a newcomer of its own. */
		if (!space || space->generation != newcomer->generation || space->exited_ns)
			continue;
		ret = read_one(space);
		if (ret)
			break;
	}
	vec_clear(&new_processes->waiting);
	return ret;
}

void new_processes_deinit(struct new_processes *new_processes)
{
	vec_free(&new_processes->waiting);
}
