/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the kernel for executable mappings one by one (Linux 6.11 and later). A usual /proc/PID/maps
 * has thirty lines, and four are wanted. Printing and parsing the others takes most of the time.
 */
#ifndef RECORD_PROC_PROC_QUERY_H
#define RECORD_PROC_PROC_QUERY_H

#include <limits.h>
#include <stdint.h>

#include "record/proc/proc_maps.h"

/*
 * Finds the first executable mapping that ends above @addr, in the process whose /proc/PID/maps is
 * open at @fd. map->path points into @name or is "". Returns 0, -ENOENT when there is none, or a
 * negative errno. -ESRCH: the process has no memory (a kernel thread, or on its way out). -ENOTTY:
 * the kernel does not know the question.
 */
int proc_query_next(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map);

/*
 * As proc_query_next, for mappings of files, executable or not. Shared memory, memory of huge pages
 * and memfds are files of the kernel, too.
 */
int proc_query_file(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map);

/*
 * As proc_query_next, for any mapping. map->path is "" where the file is on a device of its own, as
 * its path takes most of the time; memory and memory files have theirs.
 */
int proc_query_memory(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map);

/*
 * Finds the mapping of @addr if it may be read, without its path, which is NULL. Returns as
 * proc_query_next.
 */
int proc_query_readable(int fd, uint64_t addr, struct proc_map *map);

#endif
