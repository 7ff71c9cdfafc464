/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capabilities. The recorder explains which missing capability made the kernel refuse a call. Once
 * it samples, it gives up the capabilities that it needs no more. It reads data that hostile
 * processes make up, and a defect in that code must not give such a process root.
 */
#ifndef RECORD_HOST_PRIVILEGE_H
#define RECORD_HOST_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Is the capability (CAP_...) in this process's effective set? */
bool privilege_has(int cap);

/*
 * Takes @cap out of the effective set, if this process has it by the file of its program and not by
 * its user (AT_SECURE of getauxval(3)). *@is_lowered says whether it did; then privilege_raise is
 * due. Returns 0 or a negative errno.
 */
int privilege_lower(int cap, bool *is_lowered);
void privilege_raise(int cap);

/*
 * Adds a hint to @err, which words an EPERM or EACCES. The hint names the missing capability; if
 * none is missing, it names a seccomp profile or lockdown. Returns @code.
 */
int privilege_explain(int code, struct err *err);

/*
 * As privilege_explain, for a call of perf_event_open that failed with @code, which is -EPERM or
 * -EACCES. The hint names kernel.perf_event_paranoid, if that made the kernel refuse the call.
 */
int privilege_explain_event(int code, struct err *err);

/*
 * As privilege_explain_event, for an event of the user's own processes, which needs no capability.
 */
int privilege_explain_own_event(int code, struct err *err);

/*
 * As privilege_explain, where neither BPF nor perf events nor ptrace is possible. The hint names
 * the settings of the kernel that refuse the latter two, or else the container.
 */
int privilege_explain_none(int code, struct err *err);

/* As privilege_explain, for a process that may not be traced (ptrace). */
int privilege_explain_trace(int code, struct err *err);

/*
 * Is this a user namespace other than the initial one? Its capabilities do not count for BPF and
 * for events of others (user_namespaces(7)).
 */
bool privilege_in_user_namespace(void);

/* The level of kernel.perf_event_paranoid; 2, the kernel's own default, if it cannot be read. */
int privilege_event_level(void);

/*
 * Says why /proc/kallsyms shows no addresses. Returns a phrase that names the sysctl, the
 * capability or the user namespace; it is valid for ever.
 */
const char *privilege_hides_kallsyms(void);

/* A capability that the recorder may need until its end. */
struct privilege_need {
	int cap;
	/*
	 * privilege_drop calls this while no capability is in effect. Can the recorder still do the
	 * work that @cap is for? NULL: it cannot.
	 */
	bool (*can_do_without)(void *ctx);
	void *ctx;
};

/*
 * Gives up all capabilities in all sets, but keeps each of @needs that this process has and cannot
 * do without. No exec brings a capability back. Also forbids other processes of this user to trace
 * this process, since it may now have no more capabilities than they. Returns 0 or a negative errno
 * with @err set.
 */
int privilege_drop(const struct privilege_need *needs, size_t nr, struct err *err);

#endif
