/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that had an object in their memory. If they live, their roots may have its file:
 * paths in a container mean nothing outside of it.
 */
#ifndef REPORT_SYMBOLS_OBJECT_PIDS_H
#define REPORT_SYMBOLS_OBJECT_PIDS_H

#include <stddef.h>
#include <stdint.h>

#include "report/model/model.h"
#include "elf/elffile.h"

/* Containers of one image share its files, so a few of their processes are enough. */
#define OBJECT_PIDS_MAX 32

/*
 * Lists pids of processes that mapped @object, the latest first, each once. The work is charged to
 * @budget (NULL: none). Returns their number.
 */
size_t object_pids(const struct model *model, uint32_t object, struct file_budget *budget,
		   uint32_t pids[OBJECT_PIDS_MAX]);

#endif
