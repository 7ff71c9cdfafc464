// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/perf/perf_events.h"

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
#include "common/minmax.h"
#include "record/looks/proc_task.h"
#include "record/sampling/ptrace/registers.h"
#include "record/host/cpus.h"
#include "record/host/privilege.h"

/*
 * The events that are tried in turn when the user names none. Hardware events that count the kernel
 * are one user's to see like those that do not.
 */
static const char *const defaults[] = {"cycles", "cpu-clock"};

/* A CPU's ring buffer. Where less memory may be locked, it is smaller. */
#define RING_BYTES     (1u << 20)
#define RING_BYTES_MIN (64u << 10)

/* What tellers say has a buffer of this part of that size: 1 / this. */
#define TELLERS_PART 8

/*
 * An event of a thread counts the thread's own time, and so does that of each thread that it
 * starts. A thread that ends before its first period has no sample. So the kernel takes this many
 * times the samples that are wanted, and only every such one counts. The first one of a thread is
 * chosen at random.
 */
#define SAMPLES_PER_SAMPLE 4
#define OVERSAMPLED_HZ_MAX 250

static void fill_sampler(const struct perf_events *s, struct perf_event_attr *attr)
{
	const struct source_options *o = &s->options;

	attr->type = s->event.type;
	attr->config = s->event.config;
	attr->freq = o->freq_hz != 0;
	attr->exclude_kernel = !s->has_kernel || s->event.no_kernel;
	attr->exclude_user = s->event.no_user;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = registers_perf_mask;
	attr->sample_stack_user = PERF_STACK_BYTES;
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
	if (s->counts_lost)
		attr->read_format = PERF_FORMAT_LOST;
}

static void fill_teller(const struct perf_events *s, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->exclude_kernel = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = s->has_build_ids;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
}

/* Until its exec the command is a copy of the recorder, so its samples begin there. */
static bool begins_at_exec(const struct perf_events *s, bool takes_samples, int32_t tid)
{
	return takes_samples && tid > 0 && (uint32_t)tid == s->options.command_pid &&
	       !s->is_running;
}

static int open_event(const struct perf_events *s, bool takes_samples, int32_t tid, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.disabled = 1,
		.enable_on_exec = begins_at_exec(s, takes_samples, tid),
		.inherit = !s->options.all,
		.exclude_hv = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1, /* functions of a language must be read soon */
	};
	int fd;

	if (takes_samples)
		fill_sampler(s, &attr);
	else
		fill_teller(s, &attr);
	fd = syscall(SYS_perf_event_open, &attr, tid, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool is_refused(int code)
{
	return code == -EACCES || code == -EPERM;
}

/* Tries whether both events can be opened for @tid. */
static int try_both(const struct perf_events *s, int32_t tid)
{
	for (int takes_samples = 0; takes_samples < 2; takes_samples++) {
		int fd = open_event(s, takes_samples, tid, s->rings[0].cpu);

		if (fd < 0)
			return fd;
		close(fd);
	}
	return 0;
}

/* Tries whether the event can be opened for @tid, with the kernel's share or without it. */
static int try_event(struct perf_events *s, int32_t tid)
{
	/* A newer kernel may be built without CONFIG_CGROUP_PERF. */
	static const struct {
		bool counts_lost, has_build_ids, has_cgroups;
	} kernels[] = {{1, 1, 1}, {1, 1, 0}, {0, 1, 1}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
	int ret = -EINVAL;

	s->has_kernel = true;
	s->has_frames_of_kernel = !s->options.no_kernel;
	for (size_t i = 0; i < ARRAY_SIZE(kernels) && ret == -EINVAL; i++) {
		s->counts_lost = kernels[i].counts_lost;
		s->has_build_ids = kernels[i].has_build_ids;
		s->has_cgroups = kernels[i].has_cgroups;
		ret = try_both(s, tid);
	}
	if (is_refused(ret)) {
		s->has_kernel = s->has_frames_of_kernel = false;
		ret = try_both(s, tid);
	}
	return ret;
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
	size_t bytes = s->ring_bytes;
	void *page;

	/* The kernel gives whole pages. */
	if (ring->tells)
		bytes = max_u64(bytes / TELLERS_PART, s->page_size);
	page = mmap(NULL, s->page_size + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	madvise(page, s->page_size + bytes, MADV_DONTFORK);
	ring->page = page;
	ring->bytes = bytes;
	ring->fd = fd;
	return vec_push(&s->ring_fds, fd);
}

/* Opens an event of @tid (-1: of all threads) that writes to @ring. */
static int open_one(struct perf_events *s, struct perf_ring *ring, int32_t tid)
{
	bool takes_samples = !ring->tells;
	int fd = open_event(s, takes_samples, tid, ring->cpu), ret;
	const struct perf_event_fd opened = {
		fd, takes_samples, begins_at_exec(s, takes_samples, tid), ring - s->rings};

	if (fd < 0)
		return fd;
	ret = vec_push(&s->fds, opened);
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

/* Opens both events on a CPU. What tells of mappings is there before the first sample. */
static int open_on_cpu(struct perf_events *s, size_t cpu, int32_t tid)
{
	int ret = open_one(s, &s->rings[s->nr_rings / 2 + cpu], tid);

	return ret ? ret : open_one(s, &s->rings[cpu], tid);
}

static int explain(const struct perf_events *s, int code, struct err *err)
{
	err_set(err, code, "failed to open event '%s': %s",
		s->event.name ? s->event.name : defaults[ARRAY_SIZE(defaults) - 1],
		strerror(-code));
	if (code == -EMFILE)
		return err_hint(
			err, code,
			"each thread takes two files on each CPU: raise the hard limit (ulimit -n), or use --backend ptrace");
	return is_refused(code) ? privilege_explain_own_event(code, err) : code;
}

static void close_all(struct perf_events *s)
{
	for (size_t i = 0; i < s->nr_rings; i++) {
		if (s->rings[i].page)
			munmap(s->rings[i].page, s->page_size + s->rings[i].bytes);
		s->rings[i].page = NULL;
		s->rings[i].fd = -1;
		s->rings[i].nr_lost = 0;
	}
	vec_for_each(&s->fds, f)
		close(f->fd);
	vec_clear(&s->fds);
	vec_clear(&s->ring_fds);
}

static int open_all(struct perf_events *s)
{
	int ret = 0;

	for (size_t i = 0; i < s->nr_rings / 2 && !ret; i++) {
		if (s->options.all)
			ret = open_on_cpu(s, i, -1);
		vec_for_each(&s->tids, tid) {
			if (ret && ret != -ESRCH)
				break;
			ret = open_on_cpu(s, i, (int32_t)*tid);
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
		for (size_t i = 0; i < s->nr_rings / 2 && !ret; i++)
			ret = open_on_cpu(s, i, (int32_t)tid);
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
		.nr_rings = 2 * options->cpus->nr,
		.rings = calloc(2 * options->cpus->nr, sizeof(*s->rings)),
	};
	if (options->freq_hz && options->freq_hz <= OVERSAMPLED_HZ_MAX && !options->all)
		s->nr_per_sample = SAMPLES_PER_SAMPLE;
	if (!s->rings) {
		s->nr_rings = 0;
		return err_set(err, -ENOMEM, "failed to open the events: out of memory");
	}
	ret = cpus_possible(&possible, err);
	for (size_t i = 0; i < s->nr_rings; i++) {
		s->rings[i] = (struct perf_ring){.cpu = options->cpus->data[i % options->cpus->nr],
						 .tells = i >= options->cpus->nr,
						 .fd = -1};
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
	vec_for_each(&s->fds, f)
		if (!f->begins_at_exec && ioctl(f->fd, PERF_EVENT_IOC_ENABLE, 0))
			return err_set(err, -errno, "failed to begin sampling: %m");
	return 0;
}

void perf_events_disable(struct perf_events *s)
{
	s->is_running = false;
	vec_for_each(&s->fds, f)
		ioctl(f->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* What read() gives of an event. Without PERF_FORMAT_LOST, it is the count alone. */
struct event_count {
	uint64_t value, lost;
};

static struct event_count read_count(const struct perf_event_fd *f)
{
	struct event_count count = {0};

	return read(f->fd, &count, sizeof(count)) > 0 ? count : (struct event_count){0};
}

uint64_t perf_events_ran_ns(const struct perf_events *s)
{
	uint64_t sum = 0;

	if (s->event.type != PERF_TYPE_SOFTWARE || !s->options.freq_hz || s->options.all ||
	    (s->event.config != PERF_COUNT_SW_CPU_CLOCK &&
	     s->event.config != PERF_COUNT_SW_TASK_CLOCK))
		return 0;
	vec_for_each(&s->fds, f)
		if (f->takes_samples)
			sum += read_count(f).value;
	return sum;
}

uint64_t perf_events_take_lost(struct perf_events *s, uint32_t ring)
{
	uint64_t sum = 0, before = s->rings[ring].nr_lost;

	if (!s->counts_lost)
		return 0;
	vec_for_each(&s->fds, f)
		if (f->takes_samples && f->ring == ring)
			sum += read_count(f).lost;
	s->rings[ring].nr_lost = sum;
	return sum > before ? sum - before : 0;
}
