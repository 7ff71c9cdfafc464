/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings one after the other, for comparisons: only repeated recordings tell how much
 * recordings differ by themselves. Each is a run of its own with its own command, and not a part of
 * one long recording. So the recordings share nothing that one run alone could have.
 */
#ifndef RECORD_RUN_REPEAT_H
#define RECORD_RUN_REPEAT_H

#include "common/err.h"
#include "record/run/record_options.h"

/*
 * Runs the recorder as often as @options says, each time in a child process, because a run gives up
 * privileges for good. SIGINT and SIGTERM end the recording at hand and begin no other. A recording
 * that fails is the last, too. Returns 0 or a negative errno with @err set. *@status receives the
 * first status other than 0 that recorder_run had.
 */
int repeat_recordings(const struct record_options *options, int *status, struct err *err);

#endif
