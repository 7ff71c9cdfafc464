/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A task's process and its parent, from /proc. */
#ifndef RECORD_PROC_PROC_STATUS_H
#define RECORD_PROC_PROC_STATUS_H

#include <stdint.h>

/*
 * Finds the number after @key ("Tgid:") in @text, the text of /proc/PID/status. Returns 0 or
 * -EINVAL.
 */
int proc_status_number(const char *text, const char *key, uint32_t *value);

/* The process that thread @tid belongs to. Returns 0, -ENOMEM, or the errno of reading /proc. */
int proc_tgid(uint32_t tid, uint32_t *tgid);

/* The parent of process @pid. Returns 0, -ENOMEM, or the errno of reading /proc. */
int proc_parent(uint32_t pid, uint32_t *ppid);

#endif
