// SPDX-License-Identifier: GPL-2.0-or-later
/* The capabilities and settings that the kernel would tell of are played (--wrap). */
#include "record/host/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/unit/suite.h"

#define BIT(cap) (UINT64_C(1) << (cap))
#define LAST_CAP 40
#define SETS_MAX 8

/* What the process has, and what the kernel does. */
static struct {
	uint64_t effective, permitted;
	int get_error, set_error;
	int drop_error, dumpable_error, privs_error;                   /* of prctl */
	const char *paranoid, *ptrace_scope, *uid_map, *kptr_restrict; /* files; NULL: none */
} kernel;

/* What it was told to do. */
static struct {
	struct {
		uint64_t effective, permitted;
	} sets[SETS_MAX];
	size_t nr_sets;
	uint64_t dropped;
	bool is_undumpable, has_no_new_privs;
	size_t sets_at_end; /* of which the last is set before no_new_privs */
} told;

static struct err err;

long __wrap_syscall(long number, ...);
int __wrap_prctl(int option, ...);
FILE *__wrap_fopen64(const char *path, const char *mode);

long __wrap_syscall(long number, ...)
{
	struct __user_cap_header_struct *header;
	struct __user_cap_data_struct *data;
	va_list args;

	va_start(args, number);
	header = va_arg(args, struct __user_cap_header_struct *);
	data = va_arg(args, struct __user_cap_data_struct *);
	va_end(args);
	ck_assert_uint_eq(header->version, _LINUX_CAPABILITY_VERSION_3);
	if (number == SYS_capget) {
		data[0] = (struct __user_cap_data_struct){kernel.effective, kernel.permitted, 0};
		data[1] = (struct __user_cap_data_struct){kernel.effective >> 32,
							  kernel.permitted >> 32, 0};
		errno = kernel.get_error;
		return errno ? -1 : 0;
	}
	ck_assert_int_eq(number, SYS_capset);
	ck_assert_uint_eq(data[0].inheritable | data[1].inheritable, 0);
	ck_assert_uint_lt(told.nr_sets, SETS_MAX);
	told.sets[told.nr_sets].effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	told.sets[told.nr_sets++].permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	errno = kernel.set_error;
	return errno ? -1 : 0;
}

int __wrap_prctl(int option, ...)
{
	va_list args;
	long value;
	int error = 0;

	va_start(args, option);
	value = va_arg(args, int);
	va_end(args);
	switch (option) {
	case PR_CAPBSET_READ:
		error = value > LAST_CAP ? EINVAL : 0;
		break;
	case PR_CAPBSET_DROP:
		told.dropped |= BIT(value);
		error = kernel.drop_error;
		break;
	case PR_SET_DUMPABLE:
		told.is_undumpable = !value;
		error = kernel.dumpable_error;
		break;
	case PR_SET_NO_NEW_PRIVS:
		told.has_no_new_privs = value == 1;
		told.sets_at_end = told.nr_sets;
		error = kernel.privs_error;
		break;
	default:
		ck_abort_msg("another prctl");
	}
	errno = error;
	return error ? -1 : 0;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	const struct {
		const char *path, *text;
	} files[] = {{"/proc/sys/kernel/perf_event_paranoid", kernel.paranoid},
		     {"/proc/sys/kernel/yama/ptrace_scope", kernel.ptrace_scope},
		     {"/proc/self/uid_map", kernel.uid_map},
		     {"/proc/sys/kernel/kptr_restrict", kernel.kptr_restrict}};

	(void)mode;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(path, files[i].path) && files[i].text)
			return fmemopen((void *)(uintptr_t)files[i].text, strlen(files[i].text),
					"r");
	errno = ENOENT;
	return NULL;
}

static void have(uint64_t caps)
{
	kernel.effective = kernel.permitted = caps;
	err = (struct err){0};
}

START_TEST(capabilities_in_effect)
{
	have(BIT(CAP_BPF) | BIT(CAP_KILL));
	kernel.permitted |= BIT(CAP_SYSLOG);
	ck_assert(privilege_has(CAP_BPF));
	ck_assert(privilege_has(CAP_KILL));
	ck_assert(!privilege_has(CAP_PERFMON));
	ck_assert(!privilege_has(CAP_SYSLOG));
	ck_assert(!privilege_has(CAP_CHOWN));
	kernel.get_error = EPERM;
	ck_assert(!privilege_has(CAP_BPF));
}
END_TEST

START_TEST(user_namespaces)
{
	static const struct {
		const char *map;
		bool is_other;
	} cases[] = {{NULL, false},
		     {"0 0 4294967295\n", false},
		     {"0 1000 1\n", true},
		     {"0 0 65536\n", true},
		     {"0 0", false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		kernel.uid_map = cases[i].map;
		ck_assert_int_eq(privilege_in_user_namespace(), cases[i].is_other);
	}
}
END_TEST

START_TEST(the_level_of_events)
{
	ck_assert_int_eq(privilege_event_level(), 2);
	kernel.paranoid = "-1\n";
	ck_assert_int_eq(privilege_event_level(), -1);
	kernel.paranoid = "x\n";
	ck_assert_int_eq(privilege_event_level(), 2);
}
END_TEST

#define BOTH    "recording needs CAP_BPF and CAP_PERFMON, and both are missing: run it as root"
#define NO_BPF  "recording needs CAP_BPF, which is missing: run it as root"
#define NO_PERF "recording needs CAP_PERFMON, which is missing: run it as root"
#define NONE    "no capability is missing: a container's seccomp profile or kernel lockdown refuses it"
#define PARANOID                                                                                   \
	"the kernel refuses events without CAP_SYS_ADMIN while kernel.perf_event_paranoid is 3: set it to 2"
#define PROGRAM (BIT(CAP_BPF) | BIT(CAP_PERFMON))

START_TEST(what_recording_lacks)
{
	static const struct {
		uint64_t caps;
		const char *hint;
	} cases[] = {{0, BOTH},
		     {BIT(CAP_BPF), NO_PERF},
		     {BIT(CAP_PERFMON), NO_BPF},
		     {BIT(CAP_SYS_ADMIN), NONE},
		     {PROGRAM, NONE}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		have(cases[i].caps);
		ck_assert_int_eq(privilege_explain(-EPERM, &err), -EPERM);
		ck_assert_str_eq(err.hint, cases[i].hint);
	}
}
END_TEST

START_TEST(why_events_are_refused)
{
	static const struct {
		uint64_t caps;
		const char *paranoid;
		int code;
		const char *hint;
	} cases[] = {
		{PROGRAM, "3", -EACCES, PARANOID},
		{PROGRAM, "3", -EPERM, NONE},
		{PROGRAM, "2", -EACCES, NONE},
		{PROGRAM | BIT(CAP_SYS_ADMIN), "3", -EACCES, NONE},
		{BIT(CAP_BPF), "3", -EACCES, NO_PERF},
		{BIT(CAP_PERFMON), "3", -EACCES, NO_BPF},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		have(cases[i].caps);
		kernel.paranoid = cases[i].paranoid;
		ck_assert_int_eq(privilege_explain_event(cases[i].code, &err), cases[i].code);
		ck_assert_str_eq(err.hint, cases[i].hint);
	}
}
END_TEST

START_TEST(why_own_events_are_refused)
{
	have(0);
	kernel.paranoid = "3";
	ck_assert_int_eq(privilege_explain_own_event(-EACCES, &err), -EACCES);
	ck_assert_str_eq(
		err.hint,
		"kernel.perf_event_paranoid is 3: set it to 2 to record your own processes, or use --backend ptrace");
	kernel.paranoid = "2";
	ck_assert_int_eq(privilege_explain_own_event(-EACCES, &err), -EACCES);
	ck_assert_str_eq(
		err.hint,
		"a process of another user needs CAP_PERFMON; for your own, a container's seccomp profile may refuse perf_event_open: use --backend ptrace");
}
END_TEST

START_TEST(why_nothing_is_possible)
{
	static const struct {
		const char *paranoid, *scope, *hint;
	} cases[] = {
		{"3", "2",
		 "run it as root; or set kernel.perf_event_paranoid to 2 (it is 3), or kernel.yama.ptrace_scope to 1 (it is 2)"},
		{"4", "3",
		 "run it as root; or set kernel.perf_event_paranoid to 2 (it is 4), or kernel.yama.ptrace_scope to 1 (it is 3, until the next boot)"},
		{"3", "1",
		 "run it as root; or set kernel.perf_event_paranoid to 2 (it is 3), or have the container allow ptrace"},
		{"3", NULL,
		 "run it as root; or set kernel.perf_event_paranoid to 2 (it is 3), or have the container allow ptrace"},
		{"2", "2",
		 "run it as root on the host, or have the container allow one of them (--cap-add SYS_PTRACE, a seccomp profile with perf_event_open or ptrace)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		have(0);
		kernel.paranoid = cases[i].paranoid;
		kernel.ptrace_scope = cases[i].scope;
		ck_assert_int_eq(privilege_explain_none(-EPERM, &err), -EPERM);
		ck_assert_str_eq(err.hint, cases[i].hint);
	}
}
END_TEST

#define SECCOMP "a container's seccomp profile refuses ptrace"
#define OTHER                                                                                      \
	"it belongs to another user or has more capabilities, and CAP_SYS_PTRACE is missing; or a container's seccomp profile refuses ptrace"

START_TEST(why_tracing_is_refused)
{
	static const struct {
		uint64_t caps;
		const char *scope, *hint;
	} cases[] = {
		{0, "1",
		 "kernel.yama.ptrace_scope is 1: profrec may trace what it starts (-- COMMAND); for -p set it to 0, or grant CAP_SYS_PTRACE"},
		{0, "2",
		 "kernel.yama.ptrace_scope is 2: tracing needs CAP_SYS_PTRACE, which is missing"},
		{0, "3", "kernel.yama.ptrace_scope is 3: nobody may trace until the next boot"},
		{BIT(CAP_SYS_PTRACE), "3",
		 "kernel.yama.ptrace_scope is 3: nobody may trace until the next boot"},
		{BIT(CAP_SYS_PTRACE), "1", SECCOMP},
		{BIT(CAP_SYS_PTRACE), "2", SECCOMP},
		{BIT(CAP_SYS_PTRACE), NULL, SECCOMP},
		{0, "0", OTHER},
		{0, NULL, OTHER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		have(cases[i].caps);
		kernel.ptrace_scope = cases[i].scope;
		ck_assert_int_eq(privilege_explain_trace(-EPERM, &err), -EPERM);
		ck_assert_str_eq(err.hint, cases[i].hint);
	}
}
END_TEST

START_TEST(why_kallsyms_has_no_addresses)
{
	static const struct {
		uint64_t caps;
		const char *restricted, *why;
	} cases[] = {
		{BIT(CAP_SYSLOG), "2", "kernel.kptr_restrict is 2"},
		{0, "2", "kernel.kptr_restrict is 2"},
		{0, "1", "CAP_SYSLOG is missing"},
		{0, NULL, "CAP_SYSLOG is missing"},
		{BIT(CAP_SYSLOG), "1", "the kernel hides them from this user namespace"},
		{BIT(CAP_SYSLOG), "x", "the kernel hides them from this user namespace"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		have(cases[i].caps);
		kernel.kptr_restrict = cases[i].restricted;
		ck_assert_str_eq(privilege_hides_kallsyms(), cases[i].why);
	}
}
END_TEST

/* It is asked while no capability is in effect. */
static bool can_do_without(void *ctx)
{
	ck_assert_uint_eq(told.nr_sets, 1);
	ck_assert_uint_eq(told.sets[0].effective, 0);
	ck_assert_uint_eq(told.sets[0].permitted, kernel.permitted);
	return *(bool *)ctx;
}

static bool yes = true, no;

static const struct privilege_need needs[] = {
	{CAP_BPF, NULL, NULL},
	{CAP_KILL, can_do_without, &yes},
	{CAP_CHOWN, can_do_without, &no},
	{CAP_SYSLOG, NULL, NULL},
};

static int drop(void)
{
	memset(&told, 0, sizeof(told));
	return privilege_drop(needs, ARRAY_SIZE(needs), &err);
}

START_TEST(only_what_is_needed_and_permitted_stays)
{
	const uint64_t kept = BIT(CAP_BPF) | BIT(CAP_CHOWN);

	have(kept | BIT(CAP_KILL) | BIT(CAP_SYS_ADMIN));
	ck_assert_int_eq(drop(), 0);
	ck_assert_uint_eq(told.nr_sets, 2);
	ck_assert_uint_eq(told.sets[1].effective, kept);
	ck_assert_uint_eq(told.sets[1].permitted, kept);
	ck_assert_uint_eq(told.dropped, BIT(LAST_CAP + 1) - 1);
	ck_assert(told.is_undumpable && told.has_no_new_privs);
	ck_assert_uint_eq(told.sets_at_end, 2);
	/* Without CAP_SETPCAP, the bounding set stays. */
	kernel.drop_error = EPERM;
	ck_assert_int_eq(drop(), 0);
	ck_assert_uint_eq(told.nr_sets, 2);
}
END_TEST

START_TEST(capabilities_that_stay_are_an_error)
{
	int *const errors[] = {&kernel.drop_error, &kernel.dumpable_error, &kernel.get_error,
			       &kernel.set_error, &kernel.privs_error};

	have(BIT(CAP_BPF));
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		*errors[i] = EINVAL;
		ck_assert_int_eq(drop(), -EINVAL);
		ck_assert_str_eq(err.text, "failed to give up capabilities: Invalid argument");
		ck_assert_uint_eq(told.nr_sets, i < 3 ? 0 : i - 2);
		ck_assert_int_eq(told.has_no_new_privs, i == 4);
		*errors[i] = 0;
	}
}
END_TEST

SUITE_MAIN("privilege", capabilities_in_effect, user_namespaces, the_level_of_events,
	   what_recording_lacks, why_events_are_refused, why_own_events_are_refused,
	   why_nothing_is_possible, why_tracing_is_refused, why_kallsyms_has_no_addresses,
	   only_what_is_needed_and_permitted_stays, capabilities_that_stay_are_an_error)
