/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of processes. A process whose objects moved has several layouts in the model, which
 * are processes there. Each of them may know some facts about the process only.
 */
#ifndef REPORT_MODEL_PROCESS_LAYOUTS_H
#define REPORT_MODEL_PROCESS_LAYOUTS_H

#include "report/model/model.h"

struct process_layouts {
	const struct model *model;
	uint32_t *first;  /* by process of the model: the first layout of its process */
	uint32_t *begin;  /* by first layout: where its process begins in @sorted */
	uint32_t *sorted; /* all processes of the model, those of a process together */
};

/*
 * Finds the layouts of all processes of @model, which must not change before the call of
 * process_layouts_deinit. Call that in all cases. Returns 0 or -ENOMEM.
 */
int process_layouts_init(struct process_layouts *layouts, const struct model *model);
void process_layouts_deinit(struct process_layouts *layouts);

/* Returns the *@nr layouts of the process whose first layout is @first, which comes first. */
const uint32_t *process_layouts_of(const struct process_layouts *layouts, uint32_t first,
				   size_t *nr);

/* Sets *@process to what the layouts of the process whose first layout is @first know together. */
void process_layouts_gather(const struct process_layouts *layouts, uint32_t first,
			    struct model_process *process);

#endif
