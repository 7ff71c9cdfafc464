/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of a program that has just begun, out of the records of the side-band that wait for
 * their turn. Where compilers begin and end all the time, this takes microseconds, and a look at
 * /proc/PID/maps and at each file a quarter of a millisecond.
 */
#ifndef RECORD_PROCESS_PROGRAM_RECORDS_H
#define RECORD_PROCESS_PROGRAM_RECORDS_H

#include <stdint.h>

#include "record/process/mappings.h"
#include "record/process/sideband.h"

/*
 * Puts the mappings of @pid into @mappings, in place of its contents. The program has begun by an
 * exec, and had @exec_pages executable pages when it was sampled. Since then it may have mapped
 * more. Returns 0, -ENOMEM, -EIO as sideband_collect, or -ENOENT if the records tell of code that
 * is of no file with a build-id, or at no time of just as many pages: the side-band does not tell
 * of code that is unmapped.
 */
int program_records_read(struct sideband *sideband, uint32_t pid, uint32_t exec_pages,
			 struct mapped_files *files, mapping_vec *mappings);

#endif
