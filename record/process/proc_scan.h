/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scans mappings in /proc. One bounded pass finds all that were made before the side-band began.
 * Later scans find those of single processes of which too little is known.
 */
#ifndef RECORD_PROCESS_PROC_SCAN_H
#define RECORD_PROCESS_PROC_SCAN_H

#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/process/address_spaces.h"

/*
 * Adds the executable mappings of all processes (or of @pids, when it holds any), as mapped since
 * ever, and the build-ids of their files. Processes that end meanwhile or are not ours to see are
 * passed over; *@nr_hidden counts the latter. Returns 0 or a negative errno with @err set.
 */
int proc_scan(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden,
	      struct err *err);

/*
 * Adds the mappings of one process, in force since @time_ns, but at most @max (0: all), and
 * MAPPED_MEMORY_MAX. Returns 0 (also if it is gone), -E2BIG if it has more, or -ENOMEM.
 */
int proc_scan_process(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns, size_t max);

/*
 * Reads the executable mappings of one process into @mappings, in place of its contents, but at
 * most @max (0: all). Adds their files to @files. Returns 0, -E2BIG if it has more, -ESRCH or
 * -ENOENT when it has gone, -EACCES or -EPERM when it is not ours to see, -ENOMEM, or an error of
 * looker_ask.
 */
int proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files, mapping_vec *mappings);

/*
 * As proc_scan_mappings, but of the mapping at @addr alone. Returns 0 also if there is none.
 */
int proc_scan_mapping_at(uint32_t pid, uint64_t addr, struct mapped_files *files,
			 mapping_vec *mappings);

#endif
