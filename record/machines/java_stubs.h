/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the code of HotSpot that belongs to no method: the interpreter, stubs and adapters.
 * Each block of code has a name. The process may have written anything there. Runs in the looker.
 */
#ifndef RECORD_MACHINES_JAVA_STUBS_H
#define RECORD_MACHINES_JAVA_STUBS_H

#include <stdio.h>

#include "bpf/made/language_machines.h"
#include "record/machines/machine_memory.h"

/*
 * Writes a line for each block to @out, as in a perf map (record/symbols/perf_map.h). Returns 0, or
 * -ENOENT if there is none.
 */
int java_stubs_write(const struct machine_memory *memory, const struct java_machine *machine,
		     FILE *out);

#endif
