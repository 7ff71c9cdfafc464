/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children that may wait for a file server. A task that waits for a FUSE server, which has read its
 * request, does not even end by SIGKILL. So the recorder never waits for the end of such a child.
 */
#ifndef RECORD_CHILDREN_CHILD_H
#define RECORD_CHILDREN_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#define LOST_CHILDREN_MAX 64

/* Children that got SIGKILL and have not ended yet. All zero: none. */
struct lost_children {
	pid_t pids[LOST_CHILDREN_MAX];
	size_t nr;
};

/*
 * Call it first in a new child. Blocks all signals, names the process @name, makes @sock its
 * standard input, and closes all other descriptors. Returns 0 or a negative errno.
 */
int child_begin(int sock, const char *name);

/* Has SIGKILL sent to the caller when @parent ends. Returns 0, or -ESRCH if it has ended. */
int child_die_with(pid_t parent);

/* The state of the child as /proc/PID/stat has it: 'R' runs or wants a processor. 0: unknown. */
char child_state(pid_t pid);

/*
 * Sends SIGKILL to the child @pid, and waits for its end for a tenth of a second. A child that goes
 * on is added to @lost.
 */
void child_end(pid_t pid, struct lost_children *lost);

/* Forgets the children that have ended by now. */
void lost_children_reap(struct lost_children *lost);

#endif
