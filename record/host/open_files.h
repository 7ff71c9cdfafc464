/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The limit of open files. The recorder opens four files for each CPU, and some for processes. The
 * soft limit is usually 1024, for the sake of select(2); the administrator sets the hard limit.
 */
#ifndef RECORD_HOST_OPEN_FILES_H
#define RECORD_HOST_OPEN_FILES_H

#include <stdbool.h>

#include "common/err.h"

/* Raises the soft limit to the hard limit. If that fails, a later open may fail. */
void open_files_raise(void);

/* Call it in a child. Sets the limit that the recorder itself inherited. */
void open_files_restore(void);

/* May the hard limit be too low for a recording by BPF programs? */
bool open_files_are_few(void);

/*
 * Adds a hint to @err if @code is -EMFILE or -ENFILE, whichever call failed with it. One that knows
 * more about files that are too many stays. Returns @code.
 */
int open_files_explain(int code, struct err *err);

#endif
