/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the kernel for executable mappings one by one, where it can be asked (Linux 6.11): of the
 * thirty lines of a usual /proc/PID/maps four are wanted, and most of the time goes into printing
 * and parsing the others.
 */
#ifndef RECORD_PROC_PROC_QUERY_H
#define RECORD_PROC_PROC_QUERY_H

#include <limits.h>
#include <stdint.h>

#include "record/proc/proc_maps.h"

/*
 * The first executable mapping that ends behind @addr, of the process whose /proc/PID/maps is open
 * at @fd. map->path points into @name or is "". Returns 0, -ENOENT when there is none, -ESRCH when
 * the process has no memory (a kernel thread, or on its way out), -ENOTTY when the kernel does not
 * know the question, or another negative errno.
 */
int proc_query_next(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map);

#endif
