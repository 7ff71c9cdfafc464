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
 * Adds the executable mappings of all processes, or of @pids if it holds any, and the build-ids of
 * their files. The mappings count as mapped since ever. Passes over processes that end meanwhile,
 * and those that /proc hides from the recorder; *@nr_hidden counts the hidden ones. Returns 0 or a
 * negative errno with @err set.
 */
int proc_scan(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden,
	      struct err *err);

/* Adds the mappings of one process, in force since @time_ns. Returns 0 (also if gone), -ENOMEM. */
int proc_scan_process(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/*
 * Reads the executable mappings of one process into @mappings, in place of its contents, and adds
 * their files to @files. There are none if the process has gone, or if /proc hides it. Returns 0 or
 * -ENOMEM.
 */
int proc_scan_mappings(uint32_t pid, struct mapped_files *files, mapping_vec *mappings);

#endif
