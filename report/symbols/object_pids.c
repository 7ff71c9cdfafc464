// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/object_pids.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool has_pid(const struct object_pids *list, uint32_t pid)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->pids[i] == pid)
			return true;
	return false;
}

int object_pids_make(const struct model *model, struct object_pids **lists)
{
	struct object_pids *made = calloc(model->objects.nr, sizeof(*made));

	*lists = made;
	if (!made)
		return -ENOMEM;
	for (size_t i = model->mappings.nr; i-- > 0;) {
		const struct model_mapping *mapping = &model->mappings.data[i];
		const struct model_process *process = &model->processes.data[mapping->process];
		struct object_pids *list = &made[mapping->object];

		if (process->pid && list->nr < OBJECT_PIDS_MAX &&
		    model->origins.data[process->recording].is_of_this_boot &&
		    !has_pid(list, process->pid))
			list->pids[list->nr++] = process->pid;
	}
	return 0;
}
