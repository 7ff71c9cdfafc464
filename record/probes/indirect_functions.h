/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the code of functions that is chosen when a program starts (STT_GNU_IFUNC). The choice
 * depends on the processor and on the settings of the process. The loader writes the address of the
 * chosen code into slots of the process: into those of the library itself, and of other files that
 * call the function. So a process that runs tells which code it is, and nothing of it is executed.
 */
#ifndef RECORD_PROBES_INDIRECT_FUNCTIONS_H
#define RECORD_PROBES_INDIRECT_FUNCTIONS_H

#include "common/parse.h"
#include "record/probes/library.h"
#include "record/probes/user_functions.h"

/*
 * Adds the places of the code that processes chose for the indirect functions of @library, and
 * sorts the places again. Asks the processes @pids; if there are none, processes of the host that
 * have the library, until one has told. Functions that nobody tells of stay unsettled. Returns 0,
 * -ENOEXEC if the library is damaged, or -ENOMEM.
 */
int indirect_functions_resolve(const struct library *library, const u32_vec *pids,
			       struct user_functions *found);

#endif
