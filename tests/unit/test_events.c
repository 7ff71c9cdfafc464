// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's part is played (--wrap): events are files of memory, which hold their counts. */
#include "record/sampling/bpf/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "record/host/privilege.h"
#include "tests/unit/suite.h"

#define CALLS_MAX 16

static struct events events;
static struct err err;
static u32_vec cpus;

/* What was asked of the kernel, and what it answers. */
static struct {
	struct perf_event_attr attrs[CALLS_MAX];
	int on_cpus[CALLS_MAX], fds[CALLS_MAX];
	size_t nr;
	uint64_t lacks_type; /* PERF_TYPE_MAX: it has all */
	int bad_cpu, code;   /* of which events are refused with @code; -1: none */
	uint64_t counts[CALLS_MAX][3];
	int disabled[CALLS_MAX];
	size_t nr_disabled;
	int find_id; /* what event_name_find_id returns */
} kernel;

long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_event_name_find_id(struct event_name *event, const char *const *roots, struct err *e);
int __wrap_privilege_explain_event(int code, struct err *e);

long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	size_t at = kernel.nr;
	va_list args;
	pid_t pid;
	int fd;

	va_start(args, number);
	attr = va_arg(args, const struct perf_event_attr *);
	pid = va_arg(args, int);
	kernel.on_cpus[at] = va_arg(args, int);
	ck_assert_int_eq(va_arg(args, int), -1);
	va_end(args);
	ck_assert_int_eq(number, SYS_perf_event_open);
	ck_assert_int_eq(pid, -1);
	ck_assert_uint_lt(at, CALLS_MAX);
	kernel.attrs[at] = *attr;
	kernel.fds[at] = -1;
	kernel.nr++;
	if (attr->type == kernel.lacks_type || kernel.on_cpus[at] == kernel.bad_cpu) {
		errno = kernel.code;
		return -1;
	}
	fd = memfd_create("event", MFD_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	if (kernel.counts[at][0])
		ck_assert_int_eq(pwrite(fd, kernel.counts[at], sizeof(kernel.counts[at]), 0), 24);
	kernel.fds[at] = fd;
	return fd;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	ck_assert_uint_eq(request, PERF_EVENT_IOC_DISABLE);
	kernel.disabled[kernel.nr_disabled++] = fd;
	return 0;
}

int __wrap_event_name_find_id(struct event_name *event, const char *const *roots, struct err *e)
{
	(void)e;
	ck_assert_ptr_eq(roots, tracefs_roots);
	event->config = 77;
	return kernel.find_id;
}

int __wrap_privilege_explain_event(int code, struct err *e)
{
	return err_hint(e, code, "privilege");
}

static void begin(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.lacks_type = PERF_TYPE_MAX;
	kernel.bad_cpu = -1;
	kernel.code = ENOENT;
	vec_clear(&cpus);
	for (uint32_t cpu = 2; cpu < 5; cpu++)
		ck_assert_int_eq(vec_push(&cpus, cpu), 0);
}

static void end(void)
{
	events_close(&events);
	ck_assert_ptr_null(events.fds);
	for (size_t i = 0; i < kernel.nr; i++)
		ck_assert_int_lt(fcntl(kernel.fds[i], F_GETFD), 0); /* all are closed */
	vec_free(&cpus);
}

static int open_named(const char *name, uint64_t freq_hz, uint64_t period)
{
	struct event_name event;
	const struct events_options options = {
		.event = name ? &event : NULL, .freq_hz = freq_hz, .period = period};

	if (name)
		ck_assert_int_eq(event_name_parse(name, &event), 0);
	err = (struct err){0};
	kernel.nr = 0;
	return events_open(&events, &cpus, &options, &err);
}

START_TEST(the_default_is_cycles)
{
	ck_assert_int_eq(open_named(NULL, 49, 1000), 0);
	ck_assert_str_eq(events.event.name, "cycles");
	ck_assert(!events.is_tracepoint);
	ck_assert_uint_eq(events.period, 0);
	ck_assert_uint_eq(events.nr, 3);
	ck_assert_uint_eq(kernel.nr, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct perf_event_attr *attr = &kernel.attrs[i];

		ck_assert_int_eq(kernel.on_cpus[i], 2 + (int)i);
		ck_assert_int_eq(events.fds[i], kernel.fds[i]);
		ck_assert_uint_eq(attr->size, sizeof(*attr));
		ck_assert_uint_eq(attr->type, PERF_TYPE_HARDWARE);
		ck_assert_uint_eq(attr->config, PERF_COUNT_HW_CPU_CYCLES);
		ck_assert_uint_eq(attr->freq, 1);
		ck_assert_uint_eq(attr->sample_freq, 49);
		ck_assert_uint_eq(attr->disabled, 1);
		ck_assert_uint_eq(attr->exclude_kernel, 0);
		ck_assert_uint_eq(attr->exclude_user, 0);
		ck_assert_uint_eq(attr->exclude_hv, 0);
		ck_assert_uint_eq(attr->read_format,
				  PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	}
}
END_TEST

START_TEST(the_default_without_hardware_events)
{
	kernel.lacks_type = PERF_TYPE_HARDWARE;
	ck_assert_int_eq(open_named(NULL, 49, 0), 0);
	ck_assert_str_eq(events.event.name, "cpu-clock");
	ck_assert_uint_eq(kernel.nr, 4);
	ck_assert_int_eq(events.fds[2], kernel.fds[3]);
}
END_TEST

START_TEST(no_default_can_be_opened)
{
	kernel.bad_cpu = 3;
	kernel.code = ENODEV;
	ck_assert_int_eq(open_named(NULL, 49, 0), -ENODEV);
	ck_assert_str_eq(err.text, "failed to open event 'cpu-clock' on CPU 3: No such device");
	ck_assert_str_eq(err.hint, "the CPU is not online");
	ck_assert_uint_eq(kernel.nr, 4);
	/* Those on the CPU before were opened, and of one the other was closed for it. */
	ck_assert_int_ge(events.fds[0], 0);
	ck_assert_int_eq(events.fds[1], -1);
	ck_assert_int_eq(events.fds[2], -1);
}
END_TEST

START_TEST(events_by_period_and_modifier)
{
	static const struct {
		const char *name;
		bool no_kernel, no_user;
	} cases[] = {{"cs", false, false},
		     {"cs:u", true, false},
		     {"cs:k", false, true},
		     {"cs:uk", false, false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool has_either = cases[i].no_kernel || cases[i].no_user;

		ck_assert_int_eq(open_named(cases[i].name, 0, 1000), 0);
		ck_assert_uint_eq(events.period, 1000);
		ck_assert_uint_eq(kernel.attrs[0].freq, 0);
		ck_assert_uint_eq(kernel.attrs[0].sample_period, 1000);
		ck_assert_uint_eq(kernel.attrs[0].exclude_kernel, cases[i].no_kernel);
		ck_assert_uint_eq(kernel.attrs[0].exclude_user, cases[i].no_user);
		ck_assert_uint_eq(kernel.attrs[0].exclude_hv, has_either);
		events_close(&events);
	}
}
END_TEST

/* Its program runs on all CPUs. */
START_TEST(a_tracepoint_is_opened_once)
{
	ck_assert_int_eq(open_named("sched:sched_switch", 0, 1), 0);
	ck_assert(events.is_tracepoint);
	ck_assert_uint_eq(kernel.nr, 1);
	ck_assert_uint_eq(kernel.attrs[0].type, PERF_TYPE_TRACEPOINT);
	ck_assert_uint_eq(kernel.attrs[0].config, 77);
	ck_assert_int_eq(events.fds[0], kernel.fds[0]);
	ck_assert_int_eq(events.fds[1], -1);
	events_disable(&events);
	ck_assert_uint_eq(kernel.nr_disabled, 1);
	ck_assert_int_eq(kernel.disabled[0], kernel.fds[0]);
	events_close(&events);
	kernel.find_id = -EIO;
	ck_assert_int_eq(open_named("sched:sched_switch", 0, 1), -EIO);
	ck_assert_uint_eq(kernel.nr, 0);
}
END_TEST

START_TEST(clocks_that_would_tick_too_often)
{
	static const struct {
		const char *name;
		uint64_t freq_hz, period;
		bool is_refused;
	} cases[] = {
		{"cpu-clock", 0, 49999, true},  {"cpu-clock", 0, 50000, false},
		{"task-clock", 0, 49999, true}, {"task-clock", 0, 50000, false},
		{"cpu-clock", 49, 1, false},    {"cs", 0, 1, false},
		{"cycles", 0, 1, false},        {"cpu-clock", 0, 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = open_named(cases[i].name, cases[i].freq_hz, cases[i].period);

		ck_assert_int_eq(ret, cases[i].is_refused ? -EINVAL : 0);
		ck_assert_uint_eq(kernel.nr, ret ? 0 : 3);
		events_close(&events);
	}
	kernel.lacks_type = PERF_TYPE_HARDWARE;
	ck_assert_int_eq(open_named(NULL, 0, 49999), -EINVAL);
	ck_assert_str_eq(
		err.text,
		"failed to sample 'cpu-clock' every 49999 ns: too often for any other work");
	ck_assert_str_eq(err.hint,
			 "-c of a clock is 50000 ns at least; -F says how many samples a second");
}
END_TEST

#define VIRTUAL "virtual machines often count no hardware events; '-e cpu-clock' works everywhere"
#define RATE    "49 Hz may exceed kernel.perf_event_max_sample_rate: lower -F or raise the sysctl"

START_TEST(why_an_event_is_refused)
{
	static const struct {
		const char *name;
		int code;
		uint64_t freq_hz;
		const char *hint;
	} cases[] = {
		{"cycles", ENOENT, 49, VIRTUAL},
		{"r1a", EOPNOTSUPP, 49, VIRTUAL},
		{"cycles", ENODEV, 49, VIRTUAL},
		{"cycles", EINVAL, 0, VIRTUAL},
		{"cycles", EINVAL, 49, RATE},
		{"cs", EINVAL, 49, RATE},
		{"cs", EINVAL, 0, ""},
		{"cs", ENOENT, 49, ""},
		{"cs", EOPNOTSUPP, 49, ""},
		{"cs", ENODEV, 49, "the CPU is not online"},
		{"cs", ENXIO, 49, "the CPU is not online"},
		{"cycles", ENXIO, 49, "the CPU is not online"},
		{"cycles", EACCES, 49, "privilege"},
		{"cs", EPERM, 49, "privilege"},
		{"cs", EMFILE, 49, ""},
	};

	kernel.bad_cpu = 4;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool lacks = !strcmp(cases[i].hint, VIRTUAL);
		char text[256];

		kernel.code = cases[i].code;
		ck_assert_int_eq(open_named(cases[i].name, cases[i].freq_hz, 1000), -cases[i].code);
		snprintf(text, sizeof(text), "failed to open event '%s' on CPU 4: %s%s%s",
			 cases[i].name, lacks ? "this CPU does not support it (" : "",
			 strerror(cases[i].code), lacks ? ")" : "");
		ck_assert_str_eq(err.text, text);
		ck_assert_str_eq(err.hint, cases[i].hint);
		events_close(&events);
	}
}
END_TEST

/* Others may have had the counters. An event that was not opened, or is not read, has no times. */
START_TEST(times_of_hardware_events)
{
	static const struct {
		const char *name;
		uint64_t counts[2][3];
		uint64_t wanted_ns, running_ns;
	} cases[] = {
		{"cycles", {{1, 60000000, 20000000}, {1, 40000000, 30000000}}, 100000000, 50000000},
		{"r1a", {{1, 60000000, 20000000}, {1, 40000000, 30000000}}, 100000000, 50000000},
		{"cycles", {{1, 60000000, 20000000}, {1, 39999999, 30000000}}, 0, 0},
		{"cycles", {{0, 0, 0}, {1, 100000000, 30000000}}, 100000000, 30000000},
		{"cs", {{1, 60000000, 20000000}, {1, 40000000, 30000000}}, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t wanted_ns = 1, running_ns = 1;

		memcpy(kernel.counts, cases[i].counts, sizeof(cases[i].counts));
		ck_assert_int_eq(open_named(cases[i].name, 49, 0), 0);
		close(events.fds[2]);
		events.fds[2] = -1;
		events_times(&events, &wanted_ns, &running_ns);
		ck_assert_uint_eq(wanted_ns, cases[i].wanted_ns);
		ck_assert_uint_eq(running_ns, cases[i].running_ns);
		events_close(&events);
	}
}
END_TEST

START_TEST(all_that_are_open_are_disabled)
{
	ck_assert_int_eq(open_named("cs", 49, 0), 0);
	close(events.fds[0]);
	events.fds[0] = -1;
	events_disable(&events);
	ck_assert_uint_eq(kernel.nr_disabled, 2);
	ck_assert_int_eq(kernel.disabled[0], events.fds[1]);
	ck_assert_int_eq(kernel.disabled[1], events.fds[2]);
}
END_TEST

SUITE_MAIN_WITH("events", begin, end, the_default_is_cycles, the_default_without_hardware_events,
		no_default_can_be_opened, events_by_period_and_modifier,
		a_tracepoint_is_opened_once, clocks_that_would_tick_too_often,
		why_an_event_is_refused, times_of_hardware_events, all_that_are_open_are_disabled)
