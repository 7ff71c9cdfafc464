/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that /proc tells of a process besides its mappings: user, ids, name, executable, cgroup. */
#ifndef RECORD_LOOKS_PROC_INFO_H
#define RECORD_LOOKS_PROC_INFO_H

#include <stdint.h>

#include "common/vec.h"
#include "record/looks/looker.h"

/* Room for a task's name with its NUL. Names of kernel threads may be longer than others. */
#define PROC_NAME_SIZE 64

struct proc_identity {
	uint32_t ns_pid;           /* in the process's own pid namespace; 0: not known */
	uint32_t uid;              /* effective; PROF_UID_UNKNOWN: not known */
	char name[PROC_NAME_SIZE]; /* "": not known */
};

/* Parses the text of /proc/PID/status. A field that is missing stays unknown. */
void proc_identity_parse(const char *text, struct proc_identity *identity);

/*
 * Finds the path in the text of /proc/PID/cgroup: that of the unified hierarchy, or else the first.
 * *@len is its length, without the mark of a cgroup that was removed. Returns its begin, or NULL
 * when there is none.
 */
const char *proc_cgroup_parse(const char *text, size_t *len);

/*
 * Reads the path of the cgroup of @pid into @cgroup, with a NUL. It is empty when nothing is known.
 * Returns 0 or -ENOMEM.
 */
int proc_cgroup_read(uint32_t pid, char_vec *cgroup);

/* Reads the status of @pid. When it has gone, everything is unknown. Returns 0 or -ENOMEM. */
int proc_identity_read(uint32_t pid, struct proc_identity *identity);

struct proc_info {
	struct proc_identity identity;
	char_vec exe;        /* path, NUL-terminated when it is not empty; empty: not known */
	char_vec cgroup;     /* path, NUL-terminated when it is not empty; empty: not known */
	char_vec attributes; /* what it says of itself: key and value by turns, each with a NUL */
};

/*
 * Has the looker read all facts about @pid but its attributes, into @info, whose memory is used
 * again. A process in the middle of an exec can keep a reader of its executable waiting. When there
 * is no answer, everything is unknown. @looker may be NULL. Returns 0 or -ENOMEM.
 */
int proc_info_read(struct looker *looker, uint32_t pid, struct proc_info *info);

/* Makes everything unknown, and keeps the memory. */
void proc_info_clear(struct proc_info *info);

/*
 * Adds to @info what it lacks and @other has, from another moment of the same process. Of a process
 * without an executable, which has ended and waits for its parent, the cgroup of @other counts.
 * Returns 0 or -ENOMEM.
 */
int proc_info_fill(struct proc_info *info, const struct proc_info *other);

void proc_info_deinit(struct proc_info *info);

#endif
