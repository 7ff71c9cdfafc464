/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capabilities: words for a refusal, what a missing one costs, and giving up those that a running
 * recording has no more use for. It reads what hostile processes made up; a defect in that should
 * not be worth root.
 */
#ifndef RECORD_SYSTEM_PRIVILEGE_H
#define RECORD_SYSTEM_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Is the capability (CAP_...) in this process's effective set? */
bool privilege_has(int cap);

/*
 * Adds to an EPERM or EACCES in @err a hint that names the missing capability, or the sysctl or
 * lockdown when none is missing. Returns @code.
 */
int privilege_explain(int code, struct err *err);

/* Why /proc/kallsyms shows no addresses: a phrase that names the sysctl or capability. */
const char *privilege_hides_kallsyms(void);

/* A capability that may be needed until the end. */
struct privilege_need {
	int cap;
	/* Asked without any capability: can be done what it is for? NULL: it cannot. */
	bool (*can_do_without)(void *ctx);
	void *ctx;
};

/*
 * Gives up all capabilities but those of @needs that this process has and cannot do without, in all
 * sets, for good: no exec brings any back. Also makes the process one that others of the same user
 * cannot trace, now that it has no more capabilities than they. Returns 0 or a negative errno with
 * @err set.
 */
int privilege_drop(const struct privilege_need *needs, size_t nr, struct err *err);

#endif
