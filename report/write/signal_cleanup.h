/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes the parts of outputs when a signal ends the process. */
#ifndef REPORT_WRITE_SIGNAL_CLEANUP_H
#define REPORT_WRITE_SIGNAL_CLEANUP_H

#include <signal.h>

/*
 * Puts off the signals that end the process, until signal_cleanup_allow gets what was stored in
 * *@before. A part that is created meanwhile is known to signal_cleanup_set before they arrive.
 */
void signal_cleanup_defer(sigset_t *before);
void signal_cleanup_allow(const sigset_t *before);

/*
 * From now on @clean runs when a signal ends the process. It may call what a handler of signals may
 * call. A signal that somebody ignores, as under nohup, stays ignored.
 */
void signal_cleanup_set(void (*clean)(void));

#endif
