/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the memory of a process with a virtual machine. Only the looker calls this. */
#ifndef RECORD_MACHINES_PROCESS_READS_H
#define RECORD_MACHINES_PROCESS_READS_H

#include "record/machines/machine_memory.h"
#include "record/looks/resident_memory.h"

/* What can be read of @memory, which is borrowed, without waiting for anybody. */
struct machine_memory machine_memory_of(struct resident_memory *memory);

#endif
