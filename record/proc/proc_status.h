/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a task is and whose child, from /proc. */
#ifndef RECORD_PROC_PROC_STATUS_H
#define RECORD_PROC_PROC_STATUS_H

#include <stdint.h>

/*
 * Finds the number behind @key ("Tgid:") in @text, which is that of /proc/PID/status. Returns 0 or
 * -EINVAL.
 */
int proc_status_number(const char *text, const char *key, uint32_t *value);

/* The process that thread @tid belongs to. Returns 0, -ENOMEM, or the errno of reading /proc. */
int proc_tgid(uint32_t tid, uint32_t *tgid);

/* The parent of a process, likewise. */
int proc_parent(uint32_t pid, uint32_t *ppid);

#endif
