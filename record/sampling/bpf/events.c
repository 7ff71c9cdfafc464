// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/host/privilege.h"

/* events_open tries these in turn when the user names no event. */
static const char *const defaults[] = {"cycles", "cpu-clock"};

/*
 * Shortest period of a clock, in nanoseconds. The kernel throttles frequencies alone. With a sample
 * each 10 us, taking samples leaves no time in which the recorder could empty what they fill.
 */
#define CLOCK_PERIOD_MIN 50000

/* Times that are long enough to be compared. */
#define NSEC_ENOUGH 100000000

static int open_on_cpu(const struct events *events, uint32_t cpu, uint64_t freq_hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = events->event.type,
		.config = events->event.config,
		.freq = freq_hz != 0,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = events->event.no_kernel,
		.exclude_user = events->event.no_user,
		/* perf leaves the hypervisor out with either modifier, too. */
		.exclude_hv = events->event.no_kernel || events->event.no_user,
	};
	int fd;

	if (freq_hz)
		attr.sample_freq = freq_hz;
	else
		attr.sample_period = events->period;
	fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens the event on all CPUs. Returns 0, or a negative errno and in *@bad_cpu the CPU. */
static int open_all(struct events *events, const u32_vec *cpus, uint64_t freq_hz, uint32_t *bad_cpu)
{
	/* A program on a tracepoint runs on every CPU, so an event on the first CPU will do. */
	for (size_t i = 0; i < (events->is_tracepoint ? 1 : cpus->nr); i++) {
		int fd = open_on_cpu(events, cpus->data[i], freq_hz);

		if (fd < 0) {
			*bad_cpu = cpus->data[i];
			return fd;
		}
		events->fds[i] = fd;
	}
	return 0;
}

/* Returns 0, or -EINVAL with @err set if the event is a clock with a period that is too short. */
static int check_period(const struct events *events, struct err *err)
{
	const struct event_name *event = &events->event;
	bool is_clock =
		event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						      event->config == PERF_COUNT_SW_TASK_CLOCK);

	if (!is_clock || !events->period || events->period >= CLOCK_PERIOD_MIN)
		return 0;
	err_set(err, -EINVAL, "failed to sample '%s' every %llu ns: too often for any other work",
		event->name, (unsigned long long)events->period);
	return err_hint(err, -EINVAL,
			"-c of a clock is %d ns at least; -F says how many samples a second",
			CLOCK_PERIOD_MIN);
}

static bool is_hardware(const struct event_name *event)
{
	return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_RAW;
}

static int explain_refusal(const struct events *events, int code, uint32_t cpu, uint64_t freq_hz,
			   struct err *err)
{
	if (is_hardware(&events->event) && (code == -ENOENT || code == -EOPNOTSUPP ||
					    code == -ENODEV || (code == -EINVAL && !freq_hz))) {
		err_set(err, code,
			"failed to open event '%s' on CPU %u: this CPU does not support it (%s)",
			events->event.name, cpu, strerror(-code));
		return err_hint(
			err, code,
			"virtual machines often count no hardware events; '-e cpu-clock' works everywhere");
	}
	err_set(err, code, "failed to open event '%s' on CPU %u: %s", events->event.name, cpu,
		strerror(-code));
	if (code == -EACCES || code == -EPERM)
		return privilege_explain_event(code, err);
	if (code == -EINVAL && freq_hz)
		return err_hint(
			err, code,
			"%llu Hz may exceed kernel.perf_event_max_sample_rate: lower -F or raise the sysctl",
			(unsigned long long)freq_hz);
	if (code == -ENODEV || code == -ENXIO)
		return err_hint(err, code, "the CPU is not online");
	return code;
}

static void close_fds(struct events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		cleanup_close(&events->fds[i]);
		events->fds[i] = -1;
	}
}

static int open_default(struct events *events, const u32_vec *cpus, uint64_t freq_hz, uint32_t *cpu)
{
	int ret = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(defaults) && ret; i++) {
		close_fds(events);
		event_name_parse(defaults[i], &events->event);
		ret = open_all(events, cpus, freq_hz, cpu);
	}
	return ret;
}

int events_open(struct events *events, const u32_vec *cpus, const struct events_options *options,
		struct err *err)
{
	uint32_t cpu = 0;
	int ret;

	*events = (struct events){
		.fds = malloc(cpus->nr * sizeof(int)),
		.nr = cpus->nr,
		.period = options->freq_hz ? 0 : options->period,
	};
	if (!events->fds) {
		events->nr = 0;
		return err_set(err, -ENOMEM, "failed to open the events: out of memory");
	}
	memset(events->fds, 0xff, cpus->nr * sizeof(int));
	if (!options->event) {
		ret = open_default(events, cpus, options->freq_hz, &cpu);
		return ret ? explain_refusal(events, ret, cpu, options->freq_hz, err)
			   : check_period(events, err);
	}
	events->event = *options->event;
	events->is_tracepoint = events->event.type == PERF_TYPE_TRACEPOINT;
	if (events->is_tracepoint) {
		ret = event_name_find_id(&events->event, tracefs_roots, err);
		if (ret)
			return ret;
	}
	ret = check_period(events, err);
	if (ret)
		return ret;
	ret = open_all(events, cpus, options->freq_hz, &cpu);
	return ret ? explain_refusal(events, ret, cpu, options->freq_hz, err) : 0;
}

void events_disable(const struct events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->fds[i] >= 0)
			ioctl(events->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

void events_times(const struct events *events, uint64_t *wanted_ns, uint64_t *running_ns)
{
	*wanted_ns = *running_ns = 0;
	for (size_t i = 0; i < events->nr && is_hardware(&events->event); i++) {
		uint64_t value[3]; /* the count, and the two times */

		if (events->fds[i] < 0 ||
		    read(events->fds[i], value, sizeof(value)) != sizeof(value))
			continue;
		*wanted_ns += value[1];
		*running_ns += value[2];
	}
	if (*wanted_ns < NSEC_ENOUGH)
		*wanted_ns = *running_ns = 0;
}

void events_close(struct events *events)
{
	close_fds(events);
	free(events->fds);
	*events = (struct events){0};
}
