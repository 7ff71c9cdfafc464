/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file system in which the kernel lists tracepoints, their ids and traceable functions. */
#ifndef RECORD_SAMPLING_BPF_TRACEFS_H
#define RECORD_SAMPLING_BPF_TRACEFS_H

#include "common/err.h"

/* Directories where tracefs may be mounted, and that of tracefs_open; ends with NULL. */
extern const char *const tracefs_roots[];

/*
 * If tracefs is not mounted, opens one that is mounted nowhere: no other process sees it, and it
 * goes away with this one. Without the right to do so, does nothing. May be called again.
 */
void tracefs_open(void);

/*
 * Finds the first of @roots that is a tracefs; @roots ends with NULL. Returns 0 or a negative errno
 * with @err set, which says how to mount one.
 */
int tracefs_find(const char *const *roots, const char **root, struct err *err);

/*
 * Sets the error that there is no tracepoint @event, "CATEGORY:NAME" or "t:CATEGORY:NAME"; without
 * "t:" and the category, that there is no library of that name either. The hint is what may be
 * meant. Returns a negative errno.
 */
int tracefs_refuse(const char *const *roots, const char *event, struct err *err);

#endif
