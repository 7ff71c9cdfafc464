// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sources/perf_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/proc/proc_task.h"
#include "record/sources/registers.h"
#include "record/system/cpus.h"
#include "record/system/privilege.h"

/*
 * The events that are tried in turn when the user names none. Hardware events that count the kernel
 * are one user's to see like those that do not.
 */
static const char *const defaults[] = {"cycles", "cpu-clock"};

/* A CPU's ring buffer. Where less memory may be locked, it is smaller. */
#define RING_BYTES     (1u << 20)
#define RING_BYTES_MIN (64u << 10)

/*
 * An event of a thread counts the thread's own time, and so does that of each thread that it
 * starts. A thread that ends before its first period has no sample. So the kernel takes this many
 * times the samples that are wanted, and only every such one counts. The first one of a thread is
 * chosen at random.
 */
#define SAMPLES_PER_SAMPLE 4
#define OVERSAMPLED_HZ_MAX 250

static void fill_attr(const struct perf_events *s, struct perf_event_attr *attr)
{
	const struct source_options *o = &s->options;

	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = s->event.type,
		.config = s->event.config,
		.freq = o->freq_hz != 0,
		.disabled = 1,
		.inherit = !o->all,
		.exclude_kernel = !s->has_kernel || s->event.no_kernel,
		.exclude_user = s->event.no_user,
		.exclude_hv = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = registers_perf_mask,
		.sample_stack_user = PERF_STACK_BYTES,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = s->has_build_ids,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1, /* functions of a language must be read soon */
	};
	if (o->freq_hz)
		attr->sample_freq = o->freq_hz * s->nr_per_sample;
	else
		attr->sample_period = o->period;
	if (s->has_cgroups)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (s->has_frames_of_kernel) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_user = 1;
	}
}

static int open_event(const struct perf_events *s, int32_t tid, uint32_t cpu)
{
	struct perf_event_attr attr;
	int fd;

	fill_attr(s, &attr);
	fd = syscall(SYS_perf_event_open, &attr, tid, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool is_refused(int code)
{
	return code == -EACCES || code == -EPERM;
}

/* Tries whether the event can be opened for @tid, with the kernel's share or without it. */
static int try_event(struct perf_events *s, int32_t tid)
{
	int fd;

	s->has_build_ids = s->has_cgroups = s->has_kernel = true;
	s->has_frames_of_kernel = !s->options.no_kernel;
	fd = open_event(s, tid, s->rings[0].cpu);
	if (fd == -EINVAL) { /* a newer kernel may be built without CONFIG_CGROUP_PERF */
		s->has_cgroups = false;
		fd = open_event(s, tid, s->rings[0].cpu);
	}
	if (fd == -EINVAL) {
		s->has_build_ids = false;
		s->has_cgroups = true;
		fd = open_event(s, tid, s->rings[0].cpu);
	}
	if (fd == -EINVAL) {
		s->has_cgroups = false;
		fd = open_event(s, tid, s->rings[0].cpu);
	}
	if (is_refused(fd)) {
		s->has_kernel = s->has_frames_of_kernel = false;
		fd = open_event(s, tid, s->rings[0].cpu);
	}
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int choose_event(struct perf_events *s, int32_t tid)
{
	int ret = -ENOENT;

	if (s->is_chosen)
		return 0;
	if (s->options.event) {
		s->event = *s->options.event;
		ret = try_event(s, tid);
	}
	for (size_t i = 0; i < ARRAY_SIZE(defaults) && !s->options.event && ret; i++) {
		event_name_parse(defaults[i], &s->event);
		ret = try_event(s, tid);
	}
	s->is_chosen = !ret;
	return ret;
}

static int map_ring(struct perf_events *s, struct perf_ring *ring, int fd)
{
	void *page =
		mmap(NULL, s->page_size + s->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	madvise(page, s->page_size + s->ring_bytes, MADV_DONTFORK);
	ring->page = page;
	ring->fd = fd;
	return vec_push(&s->ring_fds, fd);
}

/* Opens the event of @tid (-1: of all threads) on the CPU of @ring. */
static int open_on_ring(struct perf_events *s, struct perf_ring *ring, int32_t tid)
{
	int fd = open_event(s, tid, ring->cpu), ret;

	if (fd < 0)
		return fd;
	ret = vec_push(&s->fds, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	if (ring->page)
		ret = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? -errno : 0;
	else
		ret = map_ring(s, ring, fd);
	if (!ret && s->is_running && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		ret = -errno;
	return ret;
}

static int explain(const struct perf_events *s, int code, struct err *err)
{
	err_set(err, code, "failed to open event '%s': %s",
		s->event.name ? s->event.name : defaults[ARRAY_SIZE(defaults) - 1],
		strerror(-code));
	return is_refused(code) ? privilege_explain_own_event(code, err) : code;
}

static void close_all(struct perf_events *s)
{
	for (size_t i = 0; i < s->nr_rings; i++) {
		if (s->rings[i].page)
			munmap(s->rings[i].page, s->page_size + s->ring_bytes);
		s->rings[i].page = NULL;
		s->rings[i].fd = -1;
	}
	vec_for_each(&s->fds, fd)
		close(*fd);
	vec_clear(&s->fds);
	vec_clear(&s->ring_fds);
}

static int open_all(struct perf_events *s)
{
	int ret = 0;

	for (size_t i = 0; i < s->nr_rings && !ret; i++) {
		if (s->options.all)
			ret = open_on_ring(s, &s->rings[i], -1);
		vec_for_each(&s->tids, tid) {
			if (ret && ret != -ESRCH)
				break;
			ret = open_on_ring(s, &s->rings[i], (int32_t)*tid);
		}
		if (ret == -ESRCH)
			ret = 0; /* the thread has ended meanwhile */
	}
	return ret;
}

/* Opens all events, with as large buffers as may be. */
static int open_events(struct perf_events *s)
{
	int ret;

	while ((ret = open_all(s)) == -EPERM && s->ring_bytes > RING_BYTES_MIN) {
		close_all(s);
		s->ring_bytes /= 2;
	}
	return ret;
}

/* Opens the events of the thread, unless they are open. Returns as proc_add_threads wants it. */
static int add_thread(void *ctx, uint32_t tid)
{
	struct perf_events *s = ctx;
	int ret;

	vec_for_each(&s->tids, known)
		if (*known == tid)
			return 0;
	ret = choose_event(s, (int32_t)tid);
	if (!ret)
		ret = vec_push(&s->tids, tid);
	if (!ret && !s->ring_fds.nr)
		ret = open_events(s);
	else
		for (size_t i = 0; i < s->nr_rings && !ret; i++)
			ret = open_on_ring(s, &s->rings[i], (int32_t)tid);
	return ret ? ret : 1;
}

int perf_events_open(struct perf_events *s, const struct source_options *options, struct err *err)
{
	u32_vec possible = {0};
	size_t at;
	int ret;

	*s = (struct perf_events){
		.options = *options,
		.page_size = sysconf(_SC_PAGESIZE),
		.ring_bytes = RING_BYTES,
		.nr_per_sample = 1,
		.nr_rings = options->cpus->nr,
		.rings = calloc(options->cpus->nr, sizeof(*s->rings)),
	};
	if (options->freq_hz && options->freq_hz <= OVERSAMPLED_HZ_MAX && !options->all)
		s->nr_per_sample = SAMPLES_PER_SAMPLE;
	if (!s->rings) {
		s->nr_rings = 0;
		return err_set(err, -ENOMEM, "failed to open the events: out of memory");
	}
	ret = cpus_possible(&possible, err);
	for (size_t i = 0; i < s->nr_rings; i++) {
		s->rings[i] = (struct perf_ring){.cpu = options->cpus->data[i], .fd = -1};
		if (!ret && cpus_find(&possible, s->rings[i].cpu, &at))
			s->rings[i].position = at;
	}
	vec_free(&possible);
	if (ret || !options->all)
		return ret;
	ret = choose_event(s, -1);
	if (!ret)
		ret = open_events(s);
	return ret ? explain(s, ret, err) : 0;
}

void perf_events_close(struct perf_events *s)
{
	close_all(s);
	vec_free(&s->fds);
	vec_free(&s->ring_fds);
	vec_free(&s->tids);
	free(s->rings);
	*s = (struct perf_events){0};
}

int perf_events_add(struct perf_events *s, uint32_t id, bool is_thread, struct err *err)
{
	int ret = is_thread ? add_thread(s, id) : proc_add_threads(id, add_thread, s);

	if (ret < 0)
		return ret == -ESRCH ? ret : explain(s, ret, err);
	return 0;
}

int perf_events_enable(struct perf_events *s, struct err *err)
{
	s->is_running = true;
	vec_for_each(&s->fds, fd)
		if (ioctl(*fd, PERF_EVENT_IOC_ENABLE, 0))
			return err_set(err, -errno, "failed to begin sampling: %m");
	return 0;
}

void perf_events_disable(struct perf_events *s)
{
	s->is_running = false;
	vec_for_each(&s->fds, fd)
		ioctl(*fd, PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t perf_events_ran_ns(const struct perf_events *s)
{
	uint64_t sum = 0, count;

	if (s->event.type != PERF_TYPE_SOFTWARE || !s->options.freq_hz || s->options.all ||
	    (s->event.config != PERF_COUNT_SW_CPU_CLOCK &&
	     s->event.config != PERF_COUNT_SW_TASK_CLOCK))
		return 0;
	vec_for_each(&s->fds, fd)
		if (read(*fd, &count, sizeof(count)) == sizeof(count))
			sum += count;
	return sum;
}
