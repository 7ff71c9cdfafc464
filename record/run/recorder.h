/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the recorder from start to end. */
#ifndef RECORD_RUN_RECORDER_H
#define RECORD_RUN_RECORDER_H

#include "common/err.h"
#include "record/run/record_options.h"

/*
 * Records as @options say, and prints progress to stderr. Returns 0 when the last recording is
 * complete and has its name, or a negative errno with @err set. Then *@status receives the exit
 * status of the command as a shell tells it: 126 or 127 if it could not be run, and 0 if there is
 * none, if the recording ended before it, or after another failure. If a signal ended the reader of
 * standard output together with the recording, recorder_run returns 0 and the status of a shell.
 */
int recorder_run(const struct record_options *options, int *status, struct err *err);

#endif
