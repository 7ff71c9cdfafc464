/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths in /proc to what a process has only while it lives: memory, root directory, executable,
 * namespaces. A main thread that has ended has none of them, while other threads may go on. So the
 * way leads by a thread that lives.
 */
#ifndef RECORD_PROC_PROC_PATH_H
#define RECORD_PROC_PROC_PATH_H

#include <stdint.h>

#define PROC_PATH_SIZE 64

/*
 * Returns a thread of process @pid that has the memory of the process: @pid, unless the main thread
 * has ended. Returns @pid if nothing tells. A process in the middle of an exec keeps it waiting.
 */
uint32_t proc_living_thread(uint32_t pid);

/* Writes the path of @name ("root") of the process, by proc_living_thread. */
void proc_path(uint32_t pid, const char *name, char path[static PROC_PATH_SIZE]);

/*
 * Opens what process @pid maps at [@start, @end), with @flags of open. @tid is its
 * proc_living_thread. Returns a descriptor or a negative errno.
 */
int proc_map_file_open(uint32_t pid, uint32_t tid, uint64_t start, uint64_t end, int flags);

#endif
