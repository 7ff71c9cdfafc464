/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that had an object in their memory. If they live, their roots may have its file:
 * paths in a container mean nothing outside of it.
 */
#ifndef REPORT_SYMBOLS_OBJECT_PIDS_H
#define REPORT_SYMBOLS_OBJECT_PIDS_H

#include <stdint.h>

#include "report/model/model.h"

/* Containers of one image share its files, so a few of their processes are enough. */
#define OBJECT_PIDS_MAX 32

struct object_pids {
	uint32_t nr;
	uint32_t pids[OBJECT_PIDS_MAX];
};

/*
 * Lists for each object of @model the pids of processes that mapped it and that may still live: the
 * latest first, each once. The caller frees *@lists. Returns 0 or -ENOMEM.
 */
int object_pids_make(const struct model *model, struct object_pids **lists);

#endif
