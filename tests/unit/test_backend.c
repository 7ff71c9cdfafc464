// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel permits is played (--wrap). */
#include "record/run/backend.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/utsname.h>

#include "format/prof.h"
#include "record/host/host_abi.h"
#include "record/host/privilege.h"
#include "tests/unit/suite.h"

static struct record_options options;
static struct backend backend;
static struct err err;
static struct rights {
	bool bpf, perfmon, admin, in_namespace, no_types, no_trace;
	int level;
	int map_error;                         /* of the making of a map */
	int all_error, clock_error, own_error; /* of events of all processes, and of one's own */
	const char *release;
} rights;

long __wrap_syscall(long number, ...);
int __wrap_bpf_map_create(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value,
			  uint32_t max, const struct bpf_map_create_opts *opts);
bool __wrap_privilege_has(int cap);
int __wrap_privilege_event_level(void);
bool __wrap_privilege_in_user_namespace(void);
int __wrap_privilege_explain_none(int code, struct err *e);
int __wrap_uname(struct utsname *host);
int __wrap_access(const char *path, int mode);
long __wrap_ptrace(enum __ptrace_request request, ...);

static int answer(int error)
{
	errno = error;
	return error ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	va_list args;
	pid_t pid;
	int cpu;

	(void)number;
	va_start(args, number);
	attr = va_arg(args, const struct perf_event_attr *);
	pid = va_arg(args, int);
	cpu = va_arg(args, int);
	va_end(args);
	ck_assert_uint_eq(attr->type, PERF_TYPE_SOFTWARE);
	ck_assert_int_eq(cpu, pid < 0 ? 0 : -1);
	ck_assert_uint_eq(attr->exclude_kernel, pid >= 0);
	if (!pid)
		return answer(rights.own_error);
	return answer(attr->config == PERF_COUNT_SW_DUMMY ? rights.all_error : rights.clock_error);
}

int __wrap_bpf_map_create(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value,
			  uint32_t max, const struct bpf_map_create_opts *opts)
{
	(void)type, (void)name, (void)key, (void)value, (void)max, (void)opts;
	return answer(rights.map_error);
}

bool __wrap_privilege_has(int cap)
{
	return cap == CAP_BPF       ? rights.bpf
	       : cap == CAP_PERFMON ? rights.perfmon
				    : cap == CAP_SYS_ADMIN && rights.admin;
}

int __wrap_privilege_event_level(void)
{
	return rights.level;
}

bool __wrap_privilege_in_user_namespace(void)
{
	return rights.in_namespace;
}

int __wrap_privilege_explain_none(int code, struct err *e)
{
	return err_hint(e, code, "none");
}

int __wrap_uname(struct utsname *host)
{
	strcpy(host->release, rights.release ? rights.release : "6.1.0-9-amd64");
	return 0;
}

int __wrap_access(const char *path, int mode)
{
	(void)mode;
	ck_assert_str_eq(path, "/sys/kernel/btf/vmlinux");
	return rights.no_types ? -1 : 0;
}

long __wrap_ptrace(enum __ptrace_request request, ...)
{
	ck_assert_int_eq((int)request, PTRACE_SEIZE);
	return rights.no_trace ? -1 : 0;
}

static void begin(void)
{
	rights = (struct rights){.bpf = true, .perfmon = true};
	options = (struct record_options){.backend = BACKEND_AUTO};
}

static int choose(void)
{
	err = (struct err){0};
	backend = (struct backend){.all = true};
	return backend_choose(&options, &backend, &err);
}

/* A process that the options name. */
static void have_target(void)
{
	static char *command[] = {(char *)"true", NULL};

	options.command = command;
}

START_TEST(bpf_if_it_is_allowed)
{
	ck_assert_int_eq(choose(), 0);
	ck_assert_int_eq(backend.kind, BACKEND_BPF);
	ck_assert(!backend.all);
	ck_assert_str_eq(backend.why, "");
	rights = (struct rights){.admin = true};
	ck_assert_int_eq(choose(), 0);
	ck_assert_int_eq(backend.kind, BACKEND_BPF);
	/* What the user names is tried. */
	rights = (struct rights){.map_error = EPERM};
	options.backend = BACKEND_BPF;
	ck_assert_int_eq(choose(), 0);
	ck_assert_int_eq(backend.kind, BACKEND_BPF);
}
END_TEST

START_TEST(why_bpf_is_not_allowed)
{
	static const struct {
		struct rights rights;
		const char *why;
	} cases[] = {
		{{.map_error = EPERM}, "no CAP_BPF"},
		{{.map_error = EACCES}, "no CAP_BPF"},
		{{.map_error = EPERM, .bpf = true, .in_namespace = true},
		 "no CAP_BPF outside this user namespace"},
		{{.map_error = EPERM, .bpf = true},
		 "a seccomp profile or kernel lockdown refuses bpf()"},
		{{.map_error = ENOSYS, .admin = true},
		 "a seccomp profile or kernel lockdown refuses bpf()"},
		{{.map_error = 0}, "no CAP_BPF"},
		{{.bpf = true, .all_error = EACCES}, "no CAP_PERFMON"},
		{{.bpf = true, .perfmon = true, .all_error = EACCES, .level = 3},
		 "kernel.perf_event_paranoid is 3"},
		{{.bpf = true, .perfmon = true, .all_error = EPERM, .level = 2},
		 "a seccomp profile refuses perf_event_open"},
		{{.admin = true, .all_error = ENOSYS, .level = 2},
		 "a seccomp profile refuses perf_event_open"},
		{{.admin = true, .release = "5.14.21"}, "Linux 5.14 is older than 5.15"},
		{{.admin = true, .release = "4.19.0"}, "Linux 4.19 is older than 5.15"},
		{{.admin = true, .no_types = true}, "no /sys/kernel/btf/vmlinux"},
		/* No reasons against it: */
		{{.admin = true, .map_error = EMFILE}, NULL},
		{{.admin = true, .all_error = ENODEV}, NULL},
		{{.admin = true, .all_error = ENXIO}, NULL},
		{{.admin = true, .release = "5.15.0"}, NULL},
		{{.admin = true, .release = "6.1.0"}, NULL},
		{{.admin = true, .release = "strange"}, NULL},
	};

	have_target();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		rights = cases[i].rights;
		ck_assert_int_eq(choose(), 0);
		ck_assert_int_eq(backend.kind, cases[i].why ? BACKEND_PERF : BACKEND_BPF);
		ck_assert_str_eq(backend.why, cases[i].why ? cases[i].why : "");
		ck_assert(!backend.all);
	}
}
END_TEST

START_TEST(other_ways)
{
	have_target();
	rights = (struct rights){.map_error = EPERM, .own_error = EACCES};
	ck_assert_int_eq(choose(), 0);
	ck_assert_int_eq(backend.kind, BACKEND_PTRACE);
	ck_assert_str_eq(backend.why, "no CAP_BPF");
	rights.no_trace = true;
	ck_assert_int_eq(choose(), -EPERM);
	ck_assert_str_eq(
		err.text,
		"failed to record: the kernel refuses BPF (no CAP_BPF), perf events and ptrace");
	ck_assert_str_eq(err.hint, "none");
	/* An event that fails for another reason would not fail for long. */
	rights.own_error = EMFILE;
	ck_assert_int_eq(choose(), 0);
	ck_assert_int_eq(backend.kind, BACKEND_PERF);
}
END_TEST

/* Too few files for perf events: ptrace needs none for each thread. */
START_TEST(too_few_files)
{
	have_target();
	rights = (struct rights){.map_error = EPERM};
	ck_assert_int_eq(choose(), 0);
	ck_assert_int_eq(backend_fall_back(&options, &backend), HOST_REPEATS_CALLS);
	if (!HOST_REPEATS_CALLS)
		return;
	ck_assert_int_eq(backend.kind, BACKEND_PTRACE);
	ck_assert_str_eq(backend.why, "no CAP_BPF, and too few open files for perf events");
	ck_assert(!backend_fall_back(&options, &backend));
	/* The longest reason has room. */
	rights = (struct rights){.map_error = EPERM, .bpf = true};
	ck_assert_int_eq(choose(), 0);
	ck_assert(backend_fall_back(&options, &backend));
	ck_assert_ptr_nonnull(strstr(backend.why, "too few open files for perf events"));
	/* An option that ptrace does not serve. */
	ck_assert_int_eq(choose(), 0);
	options.period = 1000;
	ck_assert(!backend_fall_back(&options, &backend));
	options.period = 0;
	rights.no_trace = true;
	ck_assert(!backend_fall_back(&options, &backend));
	ck_assert_int_eq(backend.kind, BACKEND_PERF);
	/* The user wants perf events, and no others. */
	rights.no_trace = false;
	options.backend = BACKEND_PERF;
	ck_assert_int_eq(choose(), 0);
	ck_assert(!backend_fall_back(&options, &backend));
	ck_assert_int_eq(backend.kind, BACKEND_PERF);
}
END_TEST

/* Options that only BPF serves. */
static void set_option(size_t i)
{
	options = (struct record_options){.backend = BACKEND_PERF};
	have_target();
	switch (i) {
	case 0:
		options.off_cpu = true;
		break;
	case 1:
		options.patterns.nr = 1;
		break;
	case 2:
		options.event_text = "a:b";
		options.event.type = PERF_TYPE_TRACEPOINT;
		break;
	case 3:
		options.cgroup = "c";
		break;
	case 4:
		options.cgroup_map = "c";
		break;
	case 5:
		options.mntns = 1;
		break;
	case 6:
		options.mntns_map = "m";
		break;
	case 7:
		options.shed = true;
		break;
	case 8:
		options.labels = (struct label_keys){.nr = 1, .are_chosen = true};
		break;
	case 9:
		options.traces = true;
		break;
	case 10:
		options.container = "3f8a";
		break;
	case 11:
		options.pod = "web-0";
		break;
	case 12:
		options.unit = "nginx";
		break;
	}
}

START_TEST(options_that_need_bpf)
{
	static const char *const names[] = {
		"option --off-cpu",      "counting hits of probes (-e)",
		"a tracepoint (-e)",     "option --cgroup",
		"option --cgroupmap",    "option --mntns",
		"option --mntnsmap",     "option --shed",
		"option --labels",       "option --traces",
		"option --container",    "option --pod",
		"option --systemd-unit",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[128];

		set_option(i);
		ck_assert_int_eq(choose(), -EPERM);
		snprintf(text, sizeof(text), "%s is not possible by perf events", names[i]);
		ck_assert_str_eq(err.text, text);
		ck_assert_str_eq(err.hint, "leave --backend out where BPF is allowed");
		rights.map_error = EPERM;
		rights.bpf = false;
		options.backend = BACKEND_AUTO;
		ck_assert_int_eq(choose(), -EPERM);
		ck_assert_str_eq(
			err.hint,
			"BPF can, but there is no CAP_BPF: run it as root, or with CAP_BPF and CAP_PERFMON");
		begin();
	}
	/* Labels and events that others serve, or that nobody asked for. */
	set_option(8);
	options.labels.are_chosen = false;
	options.event_text = "cs";
	options.event.type = PERF_TYPE_SOFTWARE;
	ck_assert_int_eq(choose(), 0);
	options.event_text = NULL;
	options.event.type = PERF_TYPE_TRACEPOINT;
	options.labels = (struct label_keys){.are_chosen = true};
	ck_assert_int_eq(choose(), 0);
}
END_TEST

#if HOST_REPEATS_CALLS
static void expect_ptrace(const char *refused)
{
	char text[128];

	ck_assert_int_eq(choose(), refused ? -EPERM : 0);
	snprintf(text, sizeof(text), "%s is not possible by ptrace", refused ? refused : "");
	ck_assert_str_eq(err.text, refused ? text : "");
}

START_TEST(options_that_ptrace_lacks)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		bool is_refused;
	} cases[] = {
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false},
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true},
		{PERF_TYPE_HARDWARE, PERF_COUNT_SW_CPU_CLOCK, true},
	};

	options.backend = BACKEND_PTRACE;
	have_target();
	expect_ptrace(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		options.event_text = "event";
		options.event.type = cases[i].type;
		options.event.config = cases[i].config;
		expect_ptrace(cases[i].is_refused ? "another event than cpu-clock (-e)" : NULL);
	}
	options.event_text = NULL;
	expect_ptrace(NULL);
	options.period = 1;
	expect_ptrace("option -c/--count");
	options.period = 0;
	options.cpus.nr = 1;
	expect_ptrace("option -C/--cpu");
	options.cpus.nr = 0;
	options.kernel_only = true;
	expect_ptrace("option -K/--kernel-stacks-only");
	/* perf events can do these. */
	options.backend = BACKEND_PERF;
	options.cpus.nr = options.period = 1;
	expect_ptrace(NULL);
	options.cpus.nr = 0;
}
END_TEST
#else
START_TEST(options_that_ptrace_lacks)
{
	options.backend = BACKEND_PTRACE;
	have_target();
	ck_assert_int_eq(choose(), -EPERM);
	ck_assert_str_eq(err.text, "recording on this architecture is not possible by ptrace");
}
END_TEST
#endif

#define ONE_OF_THEM                                                                                \
	"record your own: 'profrec -p PID' or 'profrec -- COMMAND'; all need root, or CAP_BPF and CAP_PERFMON"

START_TEST(all_processes)
{
	options.backend = BACKEND_PERF;
	ck_assert_int_eq(choose(), 0);
	ck_assert(backend.all);
	rights.clock_error = EACCES;
	ck_assert_int_eq(choose(), -EPERM);
	ck_assert_str_eq(
		err.text,
		"failed to record all processes: by perf events only one's own are possible");
	ck_assert_str_eq(err.hint, ONE_OF_THEM);
	options.backend = BACKEND_AUTO;
	rights.map_error = EPERM;
	rights.bpf = false;
	ck_assert_int_eq(choose(), -EPERM);
	ck_assert_str_eq(
		err.text,
		"failed to record all processes: no CAP_BPF, and by perf events only one's own are possible");
	options.pids.nr = 1;
	ck_assert_int_eq(choose(), 0);
	ck_assert(!backend.all);
	options.pids.nr = 0;
	options.tids.nr = 1;
	ck_assert_int_eq(choose(), 0);
	options.tids.nr = 0;
	rights.clock_error = 0;
	options.backend = BACKEND_PTRACE;
	ck_assert_int_eq(choose(), -EPERM);
	ck_assert(!backend.all);
}
END_TEST

START_TEST(names_and_numbers)
{
	ck_assert_str_eq(backend_name(BACKEND_BPF), "BPF");
	ck_assert_str_eq(backend_name(BACKEND_PERF), "perf events");
	ck_assert_str_eq(backend_name(BACKEND_PTRACE), "ptrace");
	ck_assert_int_eq(backend_format_number(BACKEND_BPF), PROF_BACKEND_BPF);
	ck_assert_int_eq(backend_format_number(BACKEND_PERF), PROF_BACKEND_PERF);
	ck_assert_int_eq(backend_format_number(BACKEND_PTRACE), PROF_BACKEND_PTRACE);
}
END_TEST

SUITE_MAIN_WITH("backend", begin, NULL, bpf_if_it_is_allowed, why_bpf_is_not_allowed, other_ways,
		too_few_files, options_that_need_bpf, options_that_ptrace_lacks, all_processes,
		names_and_numbers)
