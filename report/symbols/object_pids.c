// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/object_pids.h"

static bool has_pid(const uint32_t *pids, size_t nr, uint32_t pid)
{
	while (nr--)
		if (pids[nr] == pid)
			return true;
	return false;
}

size_t object_pids(const struct model *model, uint32_t object, struct file_budget *budget,
		   uint32_t pids[OBJECT_PIDS_MAX])
{
	size_t nr = 0;

	if (!file_budget_charge(budget, model->mappings.nr))
		return 0;
	for (size_t i = model->mappings.nr; i-- > 0 && nr < OBJECT_PIDS_MAX;) {
		const struct model_mapping *mapping = &model->mappings.data[i];
		uint32_t pid = model->processes.data[mapping->process].pid;

		if (mapping->object == object && pid && !has_pid(pids, nr, pid))
			pids[nr++] = pid;
	}
	return nr;
}
