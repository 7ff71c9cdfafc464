// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/newcomers.h"

#include <errno.h>
#include <stdlib.h>

#include "record/proc_info.h"

int newcomers_add(struct newcomers *newcomers, const struct address_space *space)
{
	struct newcomer newcomer = {.pid = space->pid, .generation = space->generation};

	return vec_push(&newcomers->waiting, newcomer);
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

int newcomers_read(struct newcomers *newcomers, const struct address_spaces *spaces)
{
	int ret = 0;

	vec_for_each(&newcomers->waiting, newcomer) {
		struct address_space *space =
			address_spaces_find(spaces, newcomer->pid, UINT64_MAX);

		/* A fork's space is gone by its exec, which is a newcomer of its own. */
		if (!space || space->generation != newcomer->generation || space->exited_ns)
			continue;
		ret = read_one(space);
		if (ret)
			break;
	}
	vec_clear(&newcomers->waiting);
	return ret;
}

void newcomers_deinit(struct newcomers *newcomers)
{
	vec_free(&newcomers->waiting);
}
