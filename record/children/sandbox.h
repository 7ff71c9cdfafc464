/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walls around children that read files of profiled processes. Such a child has no privileges
 * and few system calls. It can read only the descriptors that it gets, and answer.
 */
#ifndef RECORD_CHILDREN_SANDBOX_H
#define RECORD_CHILDREN_SANDBOX_H

#include <sys/types.h>

/*
 * Gives up all privileges of this process, a child of @parent, for good. It ends with @parent. Root
 * may be unable to become another user: in a container, or when the recorder has given up its
 * capabilities before. Nor does it where the recorder could not end it then. So it stays a root
 * without capabilities. Returns 0 or a negative errno.
 */
int sandbox_enter(pid_t parent);

#endif
