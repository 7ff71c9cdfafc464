/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tasks of the system, as /proc has them: which there are, and how they belong together. */
#ifndef RECORD_LOOKS_PROC_TASK_H
#define RECORD_LOOKS_PROC_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/looks/looker.h"

/* The owner of what cannot be looked at: the user "nobody", by convention. */
#define PROC_NOBODY 65534

/* Appends the ids of all processes. Returns 0 or a negative errno with @err set. */
int proc_list(u32_vec *pids, struct err *err);

/* Has the last thread of the process gone? */
bool proc_is_gone(uint32_t pid);

/* Has the process other threads than the main thread, which may have ended? */
bool proc_has_threads(uint32_t pid);

/*
 * Has the looker read when the process began, on CLOCK_BOOTTIME. A process in the middle of an exec
 * can keep a reader waiting. @looker may be NULL. Returns 0, -EINVAL, the errno of reading /proc,
 * or an error of looker_ask.
 */
int proc_start_ns(struct looker *looker, uint32_t pid, uint64_t *start_ns);

/*
 * Who is to touch what the process or thread @id may keep from answering: @looker, or NULL, which
 * is the caller itself, for those of the caller's own user. It is not worth a question there.
 */
struct looker *proc_looker(struct looker *looker, uint32_t id);

/* Room for /proc/PID/task/TID/stat from its third field on. */
#define PROC_STAT_SIZE 2048

/*
 * Reads that text, the state first, by way of proc_looker(): a process in the middle of an exec can
 * keep a reader waiting. Returns as proc_start_ns.
 */
int proc_stat_read(struct looker *looker, uint32_t pid, uint32_t tid,
		   char text[static PROC_STAT_SIZE]);

/*
 * Calls @add for each thread of the process, again and again until a pass finds no new one: threads
 * may begin meanwhile. @add returns 1 if the thread is new to it, 0 if not, -ESRCH if it has gone,
 * or another negative errno, which ends this. Returns 0, -ESRCH if there is no such process, or a
 * negative errno.
 */
int proc_add_threads(uint32_t pid, int (*add)(void *ctx, uint32_t tid), void *ctx);

/*
 * Finds the number after @key ("Tgid:") in @text, the text of /proc/PID/status. Returns 0 or
 * -EINVAL.
 */
int proc_status_number(const char *text, const char *key, uint32_t *value);

/* The process that thread @tid belongs to. Returns 0, -ENOMEM, or the errno of reading /proc. */
int proc_tgid(uint32_t tid, uint32_t *tgid);

/*
 * The user who answers for process @pid: the real user id, or the effective one if that is root's.
 * PROC_NOBODY: not known.
 */
uint32_t proc_owner(uint32_t pid);

/* The process that traces @tid, 0 if none does. Returns as proc_parent. */
int proc_tracer(uint32_t tid, uint32_t *tracer);

/* The parent of process @pid. Returns 0, -ENOMEM, or the errno of reading /proc. */
int proc_parent(uint32_t pid, uint32_t *ppid);

#endif
