/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks as a recording: "thread;main;work 12" in each line, the root first. So all that
 * shows recordings shows the answers of a database, too.
 */
#ifndef REPORT_MODEL_FOLDED_RECORDING_H
#define REPORT_MODEL_FOLDED_RECORDING_H

#include "common/err.h"

/*
 * Reads the folded stacks in the file @name, "-" for standard input, and writes them as a recording
 * to memory: *@fd, which the caller closes. A name that profrep has escaped is taken back, and
 * frames marked as those of the kernel are. Returns 0 or a negative errno with @err set.
 */
int folded_recording_make(const char *name, int *fd, struct err *err);

#endif
