/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the line at which a function of Erlang is defined. A module has a table of lines for the
 * traces of its errors (beam_code.h, asm_load.c). The table is in the memory of the process, which
 * may have written anything there. Runs in the looker.
 */
#ifndef RECORD_MACHINES_BEAM_LINES_H
#define RECORD_MACHINES_BEAM_LINES_H

#include <stdint.h>

#include "record/languages/source_function.h"
#include "record/machines/machine_memory.h"

/* A function in the code of its module. */
struct beam_code {
	uint64_t begin, end; /* of the module */
	uint64_t function;   /* where its description is, and its code after that */
	uint32_t nr;         /* functions of the module */
	uint32_t index;      /* of this one among them */
};

/*
 * Sets line and file of @function, whose module is in its class. The pointer to the table of lines
 * is @table bytes after the module's beginning. Where the table is not of the expected form or does
 * not tell, @function stays as it is.
 */
void beam_line_read(const struct machine_memory *memory, const struct beam_code *code,
		    uint64_t table, struct machine_function *function);

#endif
