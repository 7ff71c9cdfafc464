/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds processes that share their memory, as a child of vfork does. Nobody tells of those that
 * began before the recording. What one of them maps, all of them can run.
 */
#ifndef RECORD_PROCESS_MEMORY_SHARERS_H
#define RECORD_PROCESS_MEMORY_SHARERS_H

#include "record/process/address_spaces.h"

/*
 * Gives processes of @spaces that share their memory one list of mappings. Call it after the scan
 * of /proc. Where the kernel does not compare processes (CONFIG_KCMP), it finds none. Returns 0 or
 * -ENOMEM.
 */
int memory_sharers_find(struct address_spaces *spaces);

#endif
