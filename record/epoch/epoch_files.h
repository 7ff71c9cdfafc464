/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions in mapped files, for the frames of an epoch. */
#ifndef RECORD_EPOCH_EPOCH_FILES_H
#define RECORD_EPOCH_EPOCH_FILES_H

#include <stdint.h>

#include "record/epoch/epoch_tables.h"
#include "record/epoch/owed_names.h"
#include "record/symbols/file_names.h"

/*
 * Asks for the symbols of all frames in files that @names holds, and for those that are @owed to
 * earlier epochs. Files in which most samples have their leaves come first. From @urgent_ns
 * (CLOCK_MONOTONIC) on, somebody waits for them. Returns 0 or -ENOMEM.
 */
int epoch_files_ask(struct epoch_tables *tables, struct file_names *names,
		    const struct owed_names *owed, uint64_t urgent_ns);

/*
 * Adds the symbols that are known by now. A symbol of a file with a build-id comes once in a
 * recording. Afterwards @owed has those that may come with a later epoch. Returns 0 or -ENOMEM.
 */
int epoch_files_add(struct epoch_tables *tables, struct file_names *names, struct owed_names *owed);

/* No epoch of the recording follows: counts the files whose names are still owed. */
void epoch_files_give_up(struct file_names *names, struct owed_names *owed);

#endif
