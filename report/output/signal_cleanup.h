/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes the parts of outputs when a signal ends the process. */
#ifndef REPORT_OUTPUT_SIGNAL_CLEANUP_H
#define REPORT_OUTPUT_SIGNAL_CLEANUP_H

/*
 * From now on @clean runs when a signal ends the process. It may call what a handler of signals may
 * call. A signal that somebody ignores, as under nohup, stays ignored.
 */
void signal_cleanup_set(void (*clean)(void));

#endif
