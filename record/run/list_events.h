/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profrec --list: the events, tracepoints, functions and static probes that there are, a line each,
 * in the words of -e.
 */
#ifndef RECORD_RUN_LIST_EVENTS_H
#define RECORD_RUN_LIST_EVENTS_H

#include "common/err.h"
#include "record/run/record_options.h"

/*
 * Prints what the patterns of @options match to stdout; without patterns, the events and the
 * tracepoints. Says on stderr what could not be looked at. Returns 0 or a negative errno with @err
 * set: -ENOENT if a pattern matches nothing.
 */
int list_events(const struct record_options *options, struct err *err);

#endif
