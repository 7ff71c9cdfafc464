/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording from start to end. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "common/err.h"
#include "record/record_options.h"

/*
 * Records as @options say. Progress and the closing line go to stderr. Returns 0 when the recording
 * is complete and in its place, or a negative errno with @err set.
 */
int recorder_run(const struct record_options *options, struct err *err);

#endif
