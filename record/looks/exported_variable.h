/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where the threads of a process have a variable of their own, by its name: an executable or
 * a library exports it. Only the looker calls this. All is read from the memory of the process:
 * dynamic symbols, and what the loader has put in place of their relocations.
 */
#ifndef RECORD_LOOKS_EXPORTED_VARIABLE_H
#define RECORD_LOOKS_EXPORTED_VARIABLE_H

#include <stdint.h>

#include "record/looks/resident_memory.h"

/* As in struct thread_context. */
struct exported_variable {
	int64_t offset;
	uint32_t block;
	uint32_t block_bytes;
};

/*
 * Finds the variable @name in the process of @memory. Returns 0; -ENOENT if no file exports it;
 * -EAGAIN if one does, and its place cannot be told; or another negative errno.
 */
int exported_variable_find(struct resident_memory *memory, const char *name,
			   struct exported_variable *variable);

/* Where the executable of @pid has its program headers; 0: it is not known. */
uint64_t executable_headers(uint32_t pid);

#endif
