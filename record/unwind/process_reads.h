/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the memory of a process with a virtual machine. Reads may block, so only the looker calls
 * this. */
#ifndef RECORD_UNWIND_PROCESS_READS_H
#define RECORD_UNWIND_PROCESS_READS_H

#include "record/languages/machine_memory.h"

/* The memory of process @pid, which is borrowed. */
struct machine_memory machine_memory_of(const uint32_t *pid);

#endif
