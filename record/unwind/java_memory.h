/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the memory of a process of Java. Reads may block, so only the looker calls this. */
#ifndef RECORD_UNWIND_JAVA_MEMORY_H
#define RECORD_UNWIND_JAVA_MEMORY_H

#include "record/languages/java_machine.h"

/* The memory of process @pid, which is borrowed. */
struct java_memory java_memory_of(const uint32_t *pid);

#endif
