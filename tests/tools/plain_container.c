// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plain_container [OPTION...] COMMAND...: runs the command with the limits of a container that
 * Docker, containerd or Podman starts without options. It needs no engine and no image, so tests
 * show anywhere what works there.
 *
 * - The capabilities are the engines' default ones, in the bounding set, too.
 * - A filter of system calls refuses what the engines' default profile refuses without further
 *   capabilities: moby/profiles/seccomp/default.json, for Linux 4.8 and later. A call
 *   that this profile and libseccomp do not know fails with ENOSYS.
 * - /proc/sys and /sys are read-only, and nothing is mounted in /sys.
 *
 * --user=UID      as this user and group, without any capability
 * --no-new-privs  and without privileges that files of programs give
 * --no-ptrace     ptrace(2) and process_vm_readv(2) are refused, too, as by stricter profiles
 * --allow-perf    perf_event_open(2) is allowed
 * --add=CAP       as an engine's --cap-add: bpf, perfmon, sys_ptrace, syslog, dac_read_search,
 *                 checkpoint_restore or sys_admin, with the calls that the profile allows for it
 *
 * A user other than root keeps the capabilities of the default set that it has, which are none in
 * most cases. The exit status is that of the command, and 125 if plain_container failed.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

#define STATUS_FAILED 125
#define NR_CALLS      1024 /* above all numbers of calls */
#define NO_USER       UINT32_MAX

struct limits {
	uint32_t uid; /* or NO_USER */
	bool no_new_privs;
	bool no_ptrace;
	bool allow_perf;
	uint64_t caps; /* a bit for each */
};

static const int default_caps[] = {
	CAP_CHOWN,  CAP_DAC_OVERRIDE,     CAP_FOWNER,  CAP_FSETID,      CAP_KILL,
	CAP_SETGID, CAP_SETUID,           CAP_SETPCAP, CAP_SYS_CHROOT,  CAP_NET_RAW,
	CAP_MKNOD,  CAP_NET_BIND_SERVICE, CAP_SETFCAP, CAP_AUDIT_WRITE,
};

/* The profile allows these with a capability that is not among the default ones, or never. */
static const char *const refused_calls[] = {
	/* CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON, CAP_SYSLOG */
	"bpf",
	"fanotify_init",
	"fsconfig",
	"fsmount",
	"fsopen",
	"fspick",
	"lookup_dcookie",
	"mount",
	"mount_setattr",
	"move_mount",
	"open_tree",
	"quotactl",
	"quotactl_fd",
	"setdomainname",
	"sethostname",
	"setns",
	"syslog",
	"umount",
	"umount2",
	"unshare",
	/* CAP_SYS_PTRACE, whatever the version of the kernel */
	"kcmp",
	"pidfd_getfd",
	"process_madvise",
	/* other capabilities */
	"acct",
	"clock_settime",
	"clock_settime64",
	"delete_module",
	"finit_module",
	"get_mempolicy",
	"init_module",
	"ioperm",
	"iopl",
	"mbind",
	"open_by_handle_at",
	"reboot",
	"set_mempolicy",
	"set_mempolicy_home_node",
	"settimeofday",
	"stime",
	"vhangup",
	/* never */
	"_sysctl",
	"add_key",
	"create_module",
	"get_kernel_syms",
	"io_uring_enter",
	"io_uring_register",
	"io_uring_setup",
	"kexec_file_load",
	"kexec_load",
	"keyctl",
	"migrate_pages",
	"move_pages",
	"nfsservctl",
	"pivot_root",
	"query_module",
	"request_key",
	"swapoff",
	"swapon",
	"sysfs",
	"userfaultfd",
	"uselib",
	"ustat",
	"vm86",
	"vm86old",
};

static const char *const tracing_calls[] = {"ptrace", "process_vm_readv", "process_vm_writev"};

/* personality() may read, and set these. */
static const uint64_t allowed_personalities[] = {0x0, 0x8, 0x20000, 0x20008, 0xffffffff};

#define MAX_GRANT_CALLS 4

/* Of the calls that are refused: those that the profile allows with a capability. */
static const struct grant {
	const char *name;
	int cap;
	const char *calls[MAX_GRANT_CALLS];
} grants[] = {
	{"bpf", CAP_BPF, {"bpf"}},
	{"perfmon", CAP_PERFMON, {"perf_event_open"}},
	{"sys_ptrace", CAP_SYS_PTRACE, {"kcmp", "pidfd_getfd", "process_madvise"}},
	{"syslog", CAP_SYSLOG, {"syslog"}},
	{"dac_read_search", CAP_DAC_READ_SEARCH, {"open_by_handle_at"}},
	{"checkpoint_restore", CAP_CHECKPOINT_RESTORE, {NULL}},
	{"sys_admin", CAP_SYS_ADMIN, {"bpf", "perf_event_open", "syslog", "mount"}},
};

#define NAMESPACE_FLAGS                                                                            \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

static void check(int ret, const char *what)
{
	if (ret < 0) {
		errno = -ret;
		err(STATUS_FAILED, "%s", what);
	}
}

static bool is_among(const char *call, const char *const *calls, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(call, calls[i]))
			return true;
	return false;
}

static bool is_granted(const char *call, uint64_t caps)
{
	for (size_t i = 0; i < ARRAY_SIZE(grants); i++)
		for (size_t k = 0; k < MAX_GRANT_CALLS && grants[i].calls[k]; k++)
			if (caps >> grants[i].cap & 1 && !strcmp(call, grants[i].calls[k]))
				return true;
	return false;
}

static bool is_refused(const char *call, const struct limits *limits)
{
	if (is_granted(call, limits->caps))
		return false;
	return is_among(call, refused_calls, ARRAY_SIZE(refused_calls)) ||
	       (!strcmp(call, "perf_event_open") && !limits->allow_perf) ||
	       (limits->no_ptrace && is_among(call, tracing_calls, ARRAY_SIZE(tracing_calls)));
}

static void allow(scmp_filter_ctx filter, int nr, struct scmp_arg_cmp condition)
{
	check(seccomp_rule_add(filter, SCMP_ACT_ALLOW, nr, 1, condition), "seccomp_rule_add");
}

static void allow_personalities(scmp_filter_ctx filter)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed_personalities); i++)
		allow(filter, SCMP_SYS(personality),
		      SCMP_A0_64(SCMP_CMP_EQ, allowed_personalities[i]));
}

/* clone3() takes its flags from memory, where no filter sees them: callers fall back to clone(). */
static void judge_call(scmp_filter_ctx filter, int nr, const char *call,
		       const struct limits *limits)
{
	if (!strcmp(call, "clone"))
		allow(filter, nr, SCMP_A0_64(SCMP_CMP_MASKED_EQ, NAMESPACE_FLAGS, 0));
	else if (!strcmp(call, "socket"))
		allow(filter, nr, SCMP_A0_64(SCMP_CMP_NE, AF_VSOCK));
	else if (!strcmp(call, "personality"))
		allow_personalities(filter);
	else if (strcmp(call, "clone3") && !is_refused(call, limits))
		check(seccomp_rule_add(filter, SCMP_ACT_ALLOW, nr, 0), call);
}

/*
 * Without no_new_privs, a filter needs CAP_SYS_ADMIN, so this comes before the capabilities go. As
 * with the engines, a refused call fails with EPERM, and one that is not known with ENOSYS.
 */
static void filter_calls(const struct limits *limits)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int ret;

	if (!filter)
		errx(STATUS_FAILED, "seccomp_init");
	for (int nr = 0; nr < NR_CALLS; nr++) {
		char *call = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);

		if (call)
			judge_call(filter, nr, call, limits);
		if (!call || !strcmp(call, "clone3"))
			check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), nr, 0), "ENOSYS");
		free(call);
	}
	check(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW), "other words");
	check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2), "a tree of calls");
	check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, limits->no_new_privs), "no_new_privs");
	ret = seccomp_load(filter);
	if (ret) { /* who is not privileged cannot have it otherwise */
		check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1), "no_new_privs");
		ret = seccomp_load(filter);
	}
	check(ret, "seccomp_load");
	seccomp_release(filter);
}

/* Mounts belong to the command's own namespace. Who may make none cannot write there, either. */
static void protect_settings(void)
{
	static const char *const trees[] = {"/proc/sys", "/sys"};

	if (unshare(CLONE_NEWNS))
		return;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		err(STATUS_FAILED, "/");
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
		if (mount(trees[i], trees[i], NULL, MS_BIND, NULL) ||
		    mount(NULL, trees[i], NULL,
			  MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
			  NULL))
			err(STATUS_FAILED, "%s", trees[i]);
}

/* Without CAP_SETPCAP the bounding set stays, and matters to nobody. */
static void limit_bounding_set(uint64_t caps)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(caps >> cap & 1) && prctl(PR_CAPBSET_DROP, cap) && errno != EPERM)
			err(STATUS_FAILED, "PR_CAPBSET_DROP");
}

static void become(uint32_t uid)
{
	if (uid != NO_USER &&
	    (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
		err(STATUS_FAILED, "user %u", uid);
}

/* The permitted set, where it is within @allowed. Those that are handed on are none. */
static void limit_caps(uint64_t allowed)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3], kept[ARRAY_SIZE(caps)] = {0};

	if (syscall(SYS_capget, &header, caps))
		err(STATUS_FAILED, "capget");
	for (size_t i = 0; i < ARRAY_SIZE(caps); i++)
		kept[i].effective = kept[i].permitted = caps[i].permitted & allowed >> 32 * i;
	if (syscall(SYS_capset, &header, kept) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		err(STATUS_FAILED, "capset");
}

static uint32_t parse_uid(const char *text)
{
	char *end;
	unsigned long uid = strtoul(text, &end, 10);

	if (end == text || *end || uid >= NO_USER)
		errx(STATUS_FAILED, "'%s' is no number of a user", text);
	return uid;
}

static uint64_t parse_cap(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(grants); i++)
		if (!strcmp(grants[i].name, name))
			return UINT64_C(1) << grants[i].cap;
	errx(STATUS_FAILED, "'%s' is no capability that can be added", name);
}

static struct limits parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"user", required_argument, NULL, 'u'}, {"no-new-privs", no_argument, NULL, 'n'},
		{"no-ptrace", no_argument, NULL, 't'},  {"allow-perf", no_argument, NULL, 'p'},
		{"add", required_argument, NULL, 'a'},  {0},
	};
	struct limits limits = {.uid = NO_USER};
	int option;

	for (size_t i = 0; i < ARRAY_SIZE(default_caps); i++)
		limits.caps |= UINT64_C(1) << default_caps[i];
	while ((option = getopt_long(argc, argv, "+", options, NULL)) >= 0)
		switch (option) {
		case 'u':
			limits.uid = parse_uid(optarg);
			break;
		case 'n':
			limits.no_new_privs = true;
			break;
		case 't':
			limits.no_ptrace = true;
			break;
		case 'p':
			limits.allow_perf = true;
			break;
		case 'a':
			limits.caps |= parse_cap(optarg);
			break;
		default:
			exit(STATUS_FAILED);
		}
	return limits;
}

int main(int argc, char **argv)
{
	struct limits limits = parse_options(argc, argv);

	if (optind == argc)
		errx(STATUS_FAILED, "plain_container [OPTION...] COMMAND...");
	protect_settings();
	limit_bounding_set(limits.caps);
	filter_calls(&limits);
	become(limits.uid);
	limit_caps(limits.caps);
	execvp(argv[optind], argv + optind);
	err(STATUS_FAILED, "%s", argv[optind]);
}
