// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/backend.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "format/prof.h"
#include "record/host/host_abi.h"
#include "record/host/privilege.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

const char *backend_name(enum backend_kind kind)
{
	return kind == BACKEND_PERF ? "perf events" : kind == BACKEND_PTRACE ? "ptrace" : "BPF";
}

uint8_t backend_format_number(enum backend_kind kind)
{
	return kind == BACKEND_PERF     ? PROF_BACKEND_PERF
	       : kind == BACKEND_PTRACE ? PROF_BACKEND_PTRACE
					: PROF_BACKEND_BPF;
}

/* Opens an event that counts nothing, of process @pid (-1: all), or the clock of this process. */
static int try_event(pid_t pid, uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.disabled = 1,
		.exclude_kernel = pid >= 0,
		.exclude_hv = 1,
		.sample_period = 1000000,
	};
	_cleanup_close_ int fd = syscall(SYS_perf_event_open, &attr, pid, pid < 0 ? 0 : -1, -1,
					 PERF_FLAG_FD_CLOEXEC);

	/* CPU 0 may be offline. */
	return fd < 0 && errno != ENODEV && errno != ENXIO ? -errno : 0;
}

static bool is_refused(int code)
{
	return code == -EPERM || code == -EACCES || code == -ENOSYS;
}

/* Says in @why, of @size bytes, why the kernel lets nobody sample all processes. */
static void say_refused_event(char *why, size_t size)
{
	if (!privilege_has(CAP_PERFMON) && !privilege_has(CAP_SYS_ADMIN))
		snprintf(why, size, "no CAP_PERFMON");
	else if (privilege_event_level() > 2)
		snprintf(why, size, "kernel.perf_event_paranoid is %d", privilege_event_level());
	else
		snprintf(why, size, "a seccomp profile refuses perf_event_open");
}

/* May BPF programs be loaded and attached to events? If not, says why. */
static bool can_bpf(char *why, size_t size)
{
	struct utsname host;
	unsigned int major, minor;
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "profrec_probe",
						sizeof(uint32_t), sizeof(uint64_t), 1, NULL);

	if (fd < 0 && is_refused(-errno)) {
		bool has_cap = privilege_has(CAP_BPF) || privilege_has(CAP_SYS_ADMIN);

		snprintf(why, size, "%s",
			 !has_cap ? "no CAP_BPF"
			 : privilege_in_user_namespace()
				 ? "no CAP_BPF outside this user namespace"
				 : "a seccomp profile or kernel lockdown refuses bpf()");
		return false;
	}
	/* Where unprivileged_bpf_disabled is 0, anybody may make maps, and no program of ours. */
	if (!privilege_has(CAP_BPF) && !privilege_has(CAP_SYS_ADMIN)) {
		snprintf(why, size, "no CAP_BPF");
		return false;
	}
	if (is_refused(try_event(-1, PERF_COUNT_SW_DUMMY))) {
		say_refused_event(why, size);
		return false;
	}
	uname(&host);
	if (sscanf(host.release, "%u.%u", &major, &minor) == 2 &&
	    (major < 5 || (major == 5 && minor < 15))) {
		snprintf(why, size, "Linux %u.%u is older than 5.15", major, minor);
		return false;
	}
	if (access(KERNEL_TYPES, R_OK)) {
		snprintf(why, size, "no " KERNEL_TYPES);
		return false;
	}
	return true;
}

/* Traces a child for a moment. */
static bool can_trace(void)
{
	pid_t child = fork();
	bool can;

	if (child < 0)
		return false;
	if (!child) {
		pause();
		_exit(0);
	}
	can = !ptrace(PTRACE_SEIZE, child, 0, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	return can;
}

/* The first option that only BPF serves, or NULL. */
static const char *bpf_option(const struct record_options *o)
{
	const struct {
		bool is_given;
		const char *name;
	} options[] = {
		{o->off_cpu, "option --off-cpu"},
		{o->patterns.nr, "counting hits of probes (-e)"},
		{o->event_text && o->event.type == PERF_TYPE_TRACEPOINT, "a tracepoint (-e)"},
		{o->cgroup != NULL, "option --cgroup"},
		{o->container != NULL, "option --container"},
		{o->pod != NULL, "option --pod"},
		{o->unit != NULL, "option --systemd-unit"},
		{o->cgroup_map != NULL, "option --cgroupmap"},
		{o->mntns != 0, "option --mntns"},
		{o->mntns_map != NULL, "option --mntnsmap"},
		{o->shed, "option --shed"},
		{o->labels.are_chosen && o->labels.nr, "option --labels"},
		{o->traces, "option --traces"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].is_given)
			return options[i].name;
	return NULL;
}

/* The first option that ptrace does not serve, or NULL. */
static const char *ptrace_refuses(const struct record_options *o)
{
	if (!HOST_REPEATS_CALLS)
		return "recording on this architecture";
	if (o->event_text &&
	    (o->event.type != PERF_TYPE_SOFTWARE || (o->event.config != PERF_COUNT_SW_CPU_CLOCK &&
						     o->event.config != PERF_COUNT_SW_TASK_CLOCK)))
		return "another event than cpu-clock (-e)";
	if (o->period)
		return "option -c/--count";
	if (o->cpus.nr)
		return "option -C/--cpu";
	if (o->kernel_only)
		return "option -K/--kernel-stacks-only";
	return NULL;
}

static bool has_targets(const struct record_options *o)
{
	return o->pids.nr || o->tids.nr || o->command;
}

static int refuse(const struct record_options *o, const char *what, const struct backend *backend,
		  const char *why, struct err *err)
{
	err_set(err, -EPERM, "%s is not possible by %s", what, backend_name(backend->kind));
	if (o->backend != BACKEND_AUTO)
		return err_hint(err, -EPERM, "leave --backend out where BPF is allowed");
	return err_hint(err, -EPERM,
			"BPF can, but there is %s: run it as root, or with CAP_BPF and CAP_PERFMON",
			why);
}

/* Checks that the backend can do what the options ask for. */
static int check_options(const struct record_options *o, struct backend *backend, const char *why,
			 struct err *err)
{
	const char *what = bpf_option(o);

	if (!what && backend->kind == BACKEND_PTRACE)
		what = ptrace_refuses(o);
	if (what)
		return refuse(o, what, backend, why, err);
	if (has_targets(o))
		return 0;
	if (backend->kind == BACKEND_PERF && !try_event(-1, PERF_COUNT_SW_CPU_CLOCK)) {
		backend->all = true;
		return 0;
	}
	err_set(err, -EPERM,
		"failed to record all processes: %s%sby %s only one's own are possible", why,
		why[0] ? ", and " : "", backend_name(backend->kind));
	return err_hint(
		err, -EPERM,
		"record your own: 'profrec -p PID' or 'profrec -- COMMAND'; all need root, or CAP_BPF and CAP_PERFMON");
}

static int refuse_all(const char *why, struct err *err)
{
	err_set(err, -EPERM,
		"failed to record: the kernel refuses BPF (%s), perf events and ptrace", why);
	return privilege_explain_none(-EPERM, err);
}

int backend_choose(const struct record_options *o, struct backend *backend, struct err *err)
{
	char why[sizeof(backend->why)] = "";
	bool can;

	*backend = (struct backend){.kind = o->backend};
	if (o->backend == BACKEND_BPF)
		return 0;
	can = can_bpf(why, sizeof(why));
	if (o->backend == BACKEND_AUTO) {
		if (can)
			backend->kind = BACKEND_BPF;
		else if (!is_refused(try_event(0, PERF_COUNT_SW_CPU_CLOCK)))
			backend->kind = BACKEND_PERF;
		else if (can_trace())
			backend->kind = BACKEND_PTRACE;
		else
			return refuse_all(why, err);
		memcpy(backend->why, why, sizeof(why));
	}
	return backend->kind == BACKEND_BPF ? 0 : check_options(o, backend, why, err);
}

bool backend_fall_back(const struct record_options *o, struct backend *backend)
{
	size_t nr = strlen(backend->why);

	if (o->backend != BACKEND_AUTO || backend->kind != BACKEND_PERF || ptrace_refuses(o) ||
	    !can_trace())
		return false;
	backend->kind = BACKEND_PTRACE;
	snprintf(backend->why + nr, sizeof(backend->why) - nr,
		 ", and too few open files for perf events");
	return true;
}
