/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads from a process of Erlang how to walk the code that BEAM has made there, and the names of
 * that code's functions. The process may write anything into this memory: searches are bounded, and
 * a lie spoils the stacks of the process alone. Runs in the looker.
 */
#ifndef RECORD_MACHINES_BEAM_MACHINE_H
#define RECORD_MACHINES_BEAM_MACHINE_H

#include <stdint.h>

#include "bpf/made/language_machines.h"
#include "record/languages/source_function.h"
#include "record/machines/machine_memory.h"

/* Addresses of the tables from which functions have their names. */
struct beam_tables {
	uint64_t ranges, active_code, atoms;
	uint64_t functions;        /* of a module, the list's distance from its beginning */
	uint64_t lines;            /* as above, of the pointer to its lines; 0: not known */
	uint64_t atoms_are_values; /* as in struct beam_release */
};

/*
 * Describes the machine of the process whose memory is @memory. Its program is @in, and offset 0 of
 * that file is at @base. Returns 0; -EAGAIN if it has not begun to work yet; -ENOTSUP if its code
 * is another one than that of the release; or -EFAULT.
 */
int beam_machine_read(const struct machine_memory *memory, const struct interpreter *in,
		      uint64_t base, struct beam_machine *machine, struct beam_tables *tables);

/*
 * Reads the name of the function whose code has @word: its module, and "function/arity", and
 * the line and the file of its definition if the module says them (beam_lines.h). Returns 0,
 * -ENOENT if no function has that code any more, or -EFAULT.
 */
int beam_function_read(const struct machine_memory *memory, const struct beam_tables *tables,
		       uint64_t word, struct machine_function *function);

#endif
