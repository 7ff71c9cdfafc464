/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a process has registered with GDB's JIT interface ("JIT Compilation Interface" of GDB's
 * manual): LLVM's compilers do so. A variable of the process leads to a list of ELF objects in its
 * memory, whose section headers say where the code is now. The looker makes a file of the objects'
 * .eh_frame for the child that makes unwind tables, and lines of their symbols as in a perf map.
 * The process may write anything into its memory: numbers and bytes are bounded, and a lie spoils
 * the stacks of the process alone.
 */
#ifndef RECORD_MACHINES_REGISTERED_CODE_H
#define RECORD_MACHINES_REGISTERED_CODE_H

#include <stdint.h>
#include <stdio.h>

#include "record/machines/machine_memory.h"

/* The file has this much of the code: addresses from base on. */
#define REGISTERED_CODE_SPAN (UINT64_C(1) << 30)

struct registered_code {
	uint64_t seen; /* of the list: another list has another number */
	uint64_t base; /* the address of the file's offset 0 */
};

/*
 * Looks at the list to which the variable at @descriptor leads. Returns 0; -ENOENT if it has no
 * code; -ENOTSUP if it is another one than GDB reads without help, as Erlang's; or -EFAULT if it
 * has no code but something could not be read, as when the process has just changed it.
 */
int registered_code_read(const struct machine_memory *memory, uint64_t descriptor,
			 struct registered_code *code);

/*
 * Writes an ELF file to @fd that has an executable segment from @base on, and in .eh_frame what the
 * objects tell of their code there. Returns 0 or a negative errno: -ENOENT if there are objects
 * that tell nothing; -EFAULT if something could not be read, or nothing is an object, as when the
 * process has just changed the list; -ENOTSUP if it is not GDB's.
 */
int registered_code_write(const struct machine_memory *memory, uint64_t descriptor, uint64_t base,
			  int fd);

/*
 * Writes the functions to @out, a line for each, up to 1 MiB of those of the newest objects, which
 * come last. Returns as registered_code_write.
 */
int registered_code_name(const struct machine_memory *memory, uint64_t descriptor, FILE *out);

#endif
