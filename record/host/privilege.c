// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

/* No kernel has this many capabilities. drop_bounding finds out how many there are. */
#define CAP_LIMIT 64

static int get_sets(uint64_t *effective, uint64_t *permitted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &header, data))
		return -errno;
	*effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	*permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return 0;
}

/* Sets two sets and empties the inheritable set; then the kernel empties the ambient set. */
static int set_sets(uint64_t effective, uint64_t permitted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{.effective = effective, .permitted = permitted},
		{.effective = effective >> 32, .permitted = permitted >> 32},
	};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

bool privilege_has(int cap)
{
	uint64_t effective = 0, permitted = 0;

	return !get_sets(&effective, &permitted) && effective >> cap & 1;
}

int privilege_lower(int cap, bool *is_lowered)
{
	uint64_t effective = 0, permitted = 0;
	int ret;

	*is_lowered = getauxval(AT_SECURE) && privilege_has(cap);
	if (!*is_lowered)
		return 0;
	ret = get_sets(&effective, &permitted);
	return ret ? ret : set_sets(effective & ~(UINT64_C(1) << cap), permitted);
}

void privilege_raise(int cap)
{
	uint64_t effective = 0, permitted = 0;

	if (!get_sets(&effective, &permitted))
		set_sets(effective | UINT64_C(1) << cap, permitted);
}

static int read_sysctl(const char *path, int otherwise)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int value;

	return f && fscanf(f, "%d", &value) == 1 ? value : otherwise;
}

bool privilege_in_user_namespace(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned int inside, outside, nr;

	return f && fscanf(f, "%u %u %u", &inside, &outside, &nr) == 3 && nr != UINT32_MAX;
}

int privilege_event_level(void)
{
	return read_sysctl("/proc/sys/kernel/perf_event_paranoid", 2);
}

/*
 * Debian's and Ubuntu's kernels have levels above 2. There, perf_event_open fails with EACCES
 * without CAP_SYS_ADMIN, whether there is CAP_PERFMON or not
 * (CONFIG_SECURITY_PERF_EVENTS_RESTRICT). Returns such a level, or 0.
 */
static int level_without_perfmon(void)
{
	int level = privilege_event_level();

	return !privilege_has(CAP_SYS_ADMIN) && level > 2 ? level : 0;
}

int privilege_explain(int code, struct err *err)
{
	bool bpf = privilege_has(CAP_BPF) || privilege_has(CAP_SYS_ADMIN);
	bool perfmon = privilege_has(CAP_PERFMON) || privilege_has(CAP_SYS_ADMIN);

	if (!bpf && !perfmon)
		return err_hint(
			err, code,
			"recording needs CAP_BPF and CAP_PERFMON, and both are missing: run it as root");
	if (!bpf || !perfmon)
		return err_hint(err, code, "recording needs %s, which is missing: run it as root",
				bpf ? "CAP_PERFMON" : "CAP_BPF");
	return err_hint(
		err, code,
		"no capability is missing: a container's seccomp profile or kernel lockdown refuses it");
}

int privilege_explain_event(int code, struct err *err)
{
	int level = level_without_perfmon();

	if (code != -EACCES || !level || !privilege_has(CAP_BPF) || !privilege_has(CAP_PERFMON))
		return privilege_explain(code, err);
	return err_hint(
		err, code,
		"the kernel refuses events without CAP_SYS_ADMIN while kernel.perf_event_paranoid is %d: set it to 2",
		level);
}

int privilege_explain_own_event(int code, struct err *err)
{
	int level = level_without_perfmon();

	if (level)
		return err_hint(
			err, code,
			"kernel.perf_event_paranoid is %d: set it to 2 to record your own processes, or use --backend ptrace",
			level);
	return err_hint(
		err, code,
		"a process of another user needs CAP_PERFMON; for your own, a container's seccomp profile may refuse perf_event_open: use --backend ptrace");
}

/* Documentation/admin-guide/LSM/Yama.rst */
static int trace_scope(void)
{
	return read_sysctl("/proc/sys/kernel/yama/ptrace_scope", 0);
}

int privilege_explain_none(int code, struct err *err)
{
	int level = level_without_perfmon(), scope = trace_scope();

	if (level && scope > 1)
		return err_hint(
			err, code,
			"run it as root; or set kernel.perf_event_paranoid to 2 (it is %d), or kernel.yama.ptrace_scope to 1 (it is %d%s)",
			level, scope, scope > 2 ? ", until the next boot" : "");
	if (level)
		return err_hint(
			err, code,
			"run it as root; or set kernel.perf_event_paranoid to 2 (it is %d), or have the container allow ptrace",
			level);
	return err_hint(
		err, code,
		"run it as root on the host, or have the container allow one of them (--cap-add SYS_PTRACE, a seccomp profile with perf_event_open or ptrace)");
}

int privilege_explain_trace(int code, struct err *err)
{
	int scope = trace_scope();

	if (getauxval(AT_SECURE))
		return err_hint(
			err, code,
			"profrec's file has capabilities, and its caller may not trace the process without them: run it as root, or leave out --backend ptrace");
	if (scope == 1 && !privilege_has(CAP_SYS_PTRACE))
		return err_hint(
			err, code,
			"kernel.yama.ptrace_scope is 1: profrec may trace what it starts (-- COMMAND); for -p set it to 0, or grant CAP_SYS_PTRACE");
	if (scope == 2 && !privilege_has(CAP_SYS_PTRACE))
		return err_hint(
			err, code,
			"kernel.yama.ptrace_scope is 2: tracing needs CAP_SYS_PTRACE, which is missing");
	if (scope >= 3)
		return err_hint(
			err, code,
			"kernel.yama.ptrace_scope is %d: nobody may trace until the next boot",
			scope);
	if (privilege_has(CAP_SYS_PTRACE))
		return err_hint(err, code, "a container's seccomp profile refuses ptrace");
	return err_hint(
		err, code,
		"it belongs to another user or has more capabilities, and CAP_SYS_PTRACE is missing; or a container's seccomp profile refuses ptrace");
}

/*
 * kallsyms_show_value() in kernel/ksyms_common.c has the rule. Level 2 hides the addresses from
 * everybody, level 1 from processes without CAP_SYSLOG.
 */
const char *privilege_hides_kallsyms(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/kptr_restrict", "re");
	int restrict_level;

	if (f && fscanf(f, "%d", &restrict_level) == 1 && restrict_level >= 2)
		return "kernel.kptr_restrict is 2";
	return privilege_has(CAP_SYSLOG) ? "the kernel hides them from this user namespace"
					 : "CAP_SYSLOG is missing";
}

static int drop_bounding(void)
{
	for (int cap = 0; cap < CAP_LIMIT; cap++) {
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) < 0)
			return 0; /* the kernel has no capability of this number */
		/* Without CAP_SETPCAP the set stays, and only no_new_privs restrains an exec. */
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EPERM)
			return -errno;
	}
	return 0;
}

static int drop_all(const struct privilege_need *needs, size_t nr)
{
	uint64_t effective = 0, permitted = 0, keep = 0;
	int ret = drop_bounding();

	if (!ret && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		ret = -errno;
	if (!ret)
		ret = get_sets(&effective, &permitted);
	if (!ret)
		ret = set_sets(0, permitted);
	if (ret)
		return ret;
	for (size_t i = 0; i < nr; i++)
		if (!needs[i].can_do_without || !needs[i].can_do_without(needs[i].ctx))
			keep |= UINT64_C(1) << needs[i].cap;
	ret = set_sets(keep & permitted, keep & permitted);
	/* Last, so that NoNewPrivs in /proc/PID/status shows that all the rest is done. */
	if (!ret && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ret = -errno;
	return ret;
}

int privilege_drop(const struct privilege_need *needs, size_t nr, struct err *err)
{
	int ret = drop_all(needs, nr);

	return ret ? err_set(err, ret, "failed to give up capabilities: %s", strerror(-ret)) : 0;
}
