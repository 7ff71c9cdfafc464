// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/perf/perf_events.h"

#include "record/sampling/ptrace/registers.h"
#include "tests/unit/made_events.h"

static struct perf_events events;
static struct err err;

/* Samples are of two CPUs, the second and the third possible one. */
static uint32_t cpu_numbers[] = {2, 5};
static const u32_vec cpus = {.data = cpu_numbers, .nr = 2, .cap = 2};

static void end(void)
{
	perf_events_close(&events);
}

static void open_for(struct source_options options)
{
	options.cpus = &cpus;
	ck_assert_msg(!perf_events_open(&events, &options, &err), "%s", err.text);
}

/* Opens the events of process 10, which has threads 10 and 11. */
static void add(struct source_options options)
{
	open_for(options);
	played_add(10, 10);
	played_add(10, 11);
	ck_assert_msg(!perf_events_add(&events, 10, false, &err), "%s", err.text);
}

/* The events that stay open, without the first one, which was a trial. */
#define NR_OPENED  (nr_made_events - 1)
#define OPENED(i)  (&made_events[1 + (i)])
#define TELLER(i)  (&made_tellers[1 + (i)])
#define FIRST_ATTR (&OPENED(0)->attr)
#define IS_TYPE(t) ((FIRST_ATTR->sample_type & (t)) == (t))

/* Each thread has two events on each CPU, and those of a kind write to one buffer there. */
START_TEST(events_of_threads)
{
	static const struct {
		int32_t tid, cpu;
	} expected[] = {{10, 2}, {10, 5}, {11, 2}, {11, 5}};

	add((struct source_options){.freq_hz = 100});
	ck_assert_uint_eq(NR_OPENED, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		ck_assert_int_eq(OPENED(i)->tid, expected[i].tid);
		ck_assert_int_eq(OPENED(i)->cpu, expected[i].cpu);
		ck_assert_int_eq(TELLER(i)->tid, expected[i].tid);
		ck_assert_int_eq(TELLER(i)->cpu, expected[i].cpu);
		ck_assert_int_eq(OPENED(i)->output_fd, i < 2 ? -1 : OPENED(i % 2)->fd);
		ck_assert_int_eq(TELLER(i)->output_fd, i < 2 ? -1 : TELLER(i % 2)->fd);
		ck_assert_int_eq(OPENED(i)->nr_enables, 0);
		/* None of the processes that a sample is of goes untold. */
		ck_assert_int_lt(TELLER(i)->turn, OPENED(i)->turn);
	}
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(events.ring_fds.data[2 * i], TELLER(i)->fd);
		ck_assert_int_eq(events.ring_fds.data[2 * i + 1], OPENED(i)->fd);
	}
	ck_assert_uint_eq(events.nr_rings, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(events.rings[i].cpu, cpu_numbers[i % 2]);
		ck_assert_uint_eq(events.rings[i].position, 1 + i % 2);
		ck_assert_int_eq(events.rings[i].tells, i >= 2);
		ck_assert_uint_eq(events.rings[i].bytes, MADE_RING_BYTES / (i < 2 ? 1 : 8));
	}
	ck_assert_uint_eq(events.ring_bytes, MADE_RING_BYTES);
	/* The trial is over: its descriptor is free again. */
	ck_assert_int_eq(made_tellers[0].fd, TELLER(0)->fd);
	/* Threads that are known are not added again. */
	ck_assert_int_eq(perf_events_add(&events, 11, true, &err), 0);
	ck_assert_uint_eq(NR_OPENED, ARRAY_SIZE(expected));
}
END_TEST

/* A command is not sampled before its exec, but tells of its mappings. Its threads come later. */
START_TEST(events_of_a_command)
{
	add((struct source_options){.freq_hz = 100, .command_pid = 10});
	ck_assert_int_eq(perf_events_enable(&events, &err), 0);
	for (size_t i = 0; i < NR_OPENED; i++) {
		const bool is_command = OPENED(i)->tid == 10;

		ck_assert_int_eq(OPENED(i)->attr.enable_on_exec, is_command);
		ck_assert_int_eq(OPENED(i)->nr_enables, !is_command);
		ck_assert(!TELLER(i)->attr.enable_on_exec);
		ck_assert_int_eq(TELLER(i)->nr_enables, 1);
	}
}
END_TEST

START_TEST(what_a_sample_has)
{
	add((struct source_options){.freq_hz = 100});
	ck_assert(IS_TYPE(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP |
			  PERF_SAMPLE_CALLCHAIN));
	ck_assert_uint_eq(FIRST_ATTR->size, sizeof(struct perf_event_attr));
	ck_assert_uint_eq(FIRST_ATTR->type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(FIRST_ATTR->config, PERF_COUNT_HW_CPU_CYCLES);
	ck_assert_uint_eq(FIRST_ATTR->sample_regs_user, registers_perf_mask);
	ck_assert_uint_eq(FIRST_ATTR->sample_stack_user, PERF_STACK_BYTES);
	ck_assert_uint_eq(FIRST_ATTR->sample_freq, 400);
	ck_assert(FIRST_ATTR->freq && FIRST_ATTR->inherit && FIRST_ATTR->disabled);
	ck_assert(FIRST_ATTR->exclude_callchain_user && FIRST_ATTR->sample_id_all);
	ck_assert_uint_eq(FIRST_ATTR->read_format, PERF_FORMAT_LOST);
	ck_assert(!FIRST_ATTR->mmap && !FIRST_ATTR->comm && !FIRST_ATTR->task);
	ck_assert(FIRST_ATTR->use_clockid && FIRST_ATTR->watermark);
	ck_assert_int_eq(FIRST_ATTR->clockid, CLOCK_MONOTONIC);
	ck_assert_uint_eq(FIRST_ATTR->wakeup_watermark, 1);
	ck_assert(!FIRST_ATTR->exclude_kernel && !FIRST_ATTR->exclude_user);
	ck_assert_uint_eq(events.nr_per_sample, 4);
	ck_assert(events.has_kernel && events.has_build_ids && events.has_cgroups &&
		  events.has_frames_of_kernel);
}
END_TEST

START_TEST(what_the_others_tell)
{
	const struct perf_event_attr *attr = &TELLER(0)->attr;

	add((struct source_options){.freq_hz = 100});
	ck_assert_uint_eq(attr->sample_type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
	ck_assert(attr->mmap && attr->mmap2 && attr->build_id);
	ck_assert(attr->comm && attr->comm_exec && attr->task);
	ck_assert(attr->inherit && attr->disabled && attr->sample_id_all);
	ck_assert(attr->use_clockid && attr->watermark && attr->exclude_kernel);
	ck_assert_int_eq(attr->clockid, CLOCK_MONOTONIC);
	ck_assert_uint_eq(attr->wakeup_watermark, 1);
	ck_assert(!attr->sample_freq && !attr->read_format);
}
END_TEST

/* Frequent samples, and those of a period, are all that the kernel takes. */
START_TEST(periods_and_frequencies)
{
	static const struct {
		uint64_t freq_hz, period, expected;
		uint32_t nr_per_sample;
	} cases[] = {{250, 0, 1000, 4}, {251, 0, 251, 1}, {0, 1234, 1234, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		nr_made_events = nr_played = 0;
		add((struct source_options){
			.freq_hz = cases[i].freq_hz, .period = cases[i].period, .no_kernel = true});
		ck_assert_int_eq(FIRST_ATTR->freq, cases[i].freq_hz != 0);
		ck_assert_uint_eq(FIRST_ATTR->sample_freq, cases[i].expected);
		ck_assert_uint_eq(events.nr_per_sample, cases[i].nr_per_sample);
		ck_assert(!IS_TYPE(PERF_SAMPLE_CALLCHAIN));
		ck_assert(!FIRST_ATTR->exclude_kernel);
		perf_events_close(&events);
	}
}
END_TEST

START_TEST(all_processes)
{
	open_for((struct source_options){.freq_hz = 100, .all = true});
	ck_assert_uint_eq(NR_OPENED, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(OPENED(i)->tid, -1);
		ck_assert_int_eq(OPENED(i)->cpu, (int)cpu_numbers[i]);
	}
	ck_assert(!FIRST_ATTR->inherit);
	ck_assert_uint_eq(FIRST_ATTR->sample_freq, 100);
	ck_assert_uint_eq(events.nr_per_sample, 1);
}
END_TEST

static bool counts_lost, knows_build_ids, knows_cgroups, lets_count_kernel;

static int older_kernel(const struct perf_event_attr *attr, int32_t tid)
{
	(void)tid;
	if ((attr->build_id && !knows_build_ids) ||
	    (attr->read_format & PERF_FORMAT_LOST && !counts_lost) ||
	    (attr->sample_type & PERF_SAMPLE_CGROUP && !knows_cgroups))
		return EINVAL;
	if (!attr->exclude_kernel && !lets_count_kernel)
		return EACCES;
	return 0;
}

/* Older kernels, and those that let nobody look at the kernel. */
START_TEST(what_kernels_lack)
{
	made_open_refuses = older_kernel;
	for (int i = 0; i < 16; i++) {
		knows_build_ids = i & 1;
		knows_cgroups = i & 2;
		lets_count_kernel = i & 4;
		/* One that counts these knows build-ids. */
		counts_lost = i & 8 && knows_build_ids;
		nr_made_events = nr_played = 0;
		add((struct source_options){.freq_hz = 100});
		ck_assert_int_eq(TELLER(0)->attr.build_id, knows_build_ids);
		ck_assert_uint_eq(FIRST_ATTR->read_format, counts_lost ? PERF_FORMAT_LOST : 0);
		ck_assert_int_eq(events.counts_lost, counts_lost);
		ck_assert_int_eq(IS_TYPE(PERF_SAMPLE_CGROUP), knows_cgroups);
		ck_assert_int_eq(FIRST_ATTR->exclude_kernel, !lets_count_kernel);
		ck_assert_int_eq(IS_TYPE(PERF_SAMPLE_CALLCHAIN), lets_count_kernel);
		ck_assert_int_eq(events.has_build_ids, knows_build_ids);
		ck_assert_int_eq(events.has_cgroups, knows_cgroups);
		ck_assert_int_eq(events.has_kernel, lets_count_kernel);
		ck_assert_int_eq(events.has_frames_of_kernel, lets_count_kernel);
		perf_events_close(&events);
	}
}
END_TEST

static int no_counters(const struct perf_event_attr *attr, int32_t tid)
{
	(void)tid;
	return attr->type == PERF_TYPE_HARDWARE ? ENOENT : 0;
}

/* A computer without counters has a clock. Who asks for the counter learns that there is none. */
START_TEST(the_event_by_default)
{
	struct source_options options = {.freq_hz = 100};
	struct event_name cycles;

	made_open_refuses = no_counters;
	add(options);
	ck_assert_uint_eq(FIRST_ATTR->type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(FIRST_ATTR->config, PERF_COUNT_SW_CPU_CLOCK);
	ck_assert_str_eq(events.event.name, "cpu-clock");
	perf_events_close(&events);
	ck_assert_int_eq(event_name_parse("cycles", &cycles), 0);
	options.event = &cycles;
	open_for(options);
	ck_assert_int_eq(perf_events_add(&events, 10, false, &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to open event 'cycles': No such file or directory");
}
END_TEST

/* An event that counts in one of both alone, as its modifier says. */
START_TEST(modifiers)
{
	struct event_name event;
	struct source_options options = {.freq_hz = 100, .event = &event};

	ck_assert_int_eq(event_name_parse("cpu-clock", &event), 0);
	event.no_kernel = true;
	add(options);
	ck_assert(FIRST_ATTR->exclude_kernel && !FIRST_ATTR->exclude_user);
	perf_events_close(&events);
	nr_made_events = nr_played = 0;
	event.no_kernel = false;
	event.no_user = true;
	add(options);
	ck_assert(!FIRST_ATTR->exclude_kernel && FIRST_ATTR->exclude_user);
}
END_TEST

/* Where less memory may be locked, buffers are smaller, down to a limit. */
START_TEST(smaller_buffers)
{
	size_t page = sysconf(_SC_PAGESIZE);

	made_locked_bytes = page + MADE_RING_BYTES / 4;
	add((struct source_options){.freq_hz = 100});
	ck_assert_uint_eq(events.ring_bytes, MADE_RING_BYTES / 4);
	ck_assert_uint_eq(events.ring_fds.nr, 4);
	ck_assert_uint_eq(events.fds.nr, 8);
	perf_events_close(&events);
	nr_made_events = nr_played = 0;
	made_locked_bytes = page + (64 << 10);
	add((struct source_options){.freq_hz = 100});
	ck_assert_uint_eq(events.ring_bytes, 64 << 10);
	perf_events_close(&events);
	nr_made_events = 0;
	made_locked_bytes--;
	open_for((struct source_options){.freq_hz = 100});
	ck_assert_int_eq(perf_events_add(&events, 10, false, &err), -EPERM);
	ck_assert_str_eq(err.text, "failed to open event 'cycles': Operation not permitted");
	ck_assert_uint_eq(events.ring_bytes, 64 << 10);
}
END_TEST

static int refused_tid, refused_code;

static int refuse_tid(const struct perf_event_attr *attr, int32_t tid)
{
	(void)attr;
	return tid == refused_tid ? refused_code : 0;
}

/* A thread that has ended is no error where others are left. */
START_TEST(threads_that_end)
{
	made_open_refuses = refuse_tid;
	refused_tid = 10;
	refused_code = ESRCH;
	add((struct source_options){.freq_hz = 100});
	ck_assert_uint_eq(NR_OPENED, 2);
	ck_assert_int_eq(OPENED(0)->tid, 11);
	ck_assert_int_eq(perf_events_add(&events, 10, true, &err), -ESRCH);
	ck_assert_int_eq(perf_events_add(&events, 99, false, &err), -ESRCH);
	ck_assert_str_eq(err.text, "");
	played_add(20, 20);
	refused_tid = 20;
	refused_code = EMFILE;
	ck_assert_int_eq(perf_events_add(&events, 20, false, &err), -EMFILE);
	ck_assert_str_eq(err.text, "failed to open event 'cycles': Too many open files");
	ck_assert_str_eq(
		err.hint,
		"each thread takes two files on each CPU: raise the hard limit (ulimit -n), or use --backend ptrace");
}
END_TEST

/* Events count from the start on, and those that come later at once. */
START_TEST(counting)
{
	add((struct source_options){.freq_hz = 100});
	ck_assert_int_eq(perf_events_enable(&events, &err), 0);
	played_add(20, 20);
	ck_assert_int_eq(perf_events_add(&events, 20, true, &err), 0);
	ck_assert_uint_eq(NR_OPENED, 6);
	for (size_t i = 0; i < NR_OPENED; i++) {
		ck_assert_int_eq(OPENED(i)->nr_enables, 1);
		ck_assert_int_eq(TELLER(i)->nr_enables, 1);
	}
	perf_events_disable(&events);
	for (size_t i = 0; i < NR_OPENED; i++) {
		ck_assert_int_eq(OPENED(i)->nr_enables, 0);
		ck_assert_int_eq(TELLER(i)->nr_enables, 0);
	}
	played_add(30, 30);
	ck_assert_int_eq(perf_events_add(&events, 30, true, &err), 0);
	ck_assert_int_eq(OPENED(6)->nr_enables, 0);
	made_ioctl_error = EINVAL;
	ck_assert_int_eq(perf_events_enable(&events, &err), -EINVAL);
	ck_assert_str_eq(err.text, "failed to begin sampling: Invalid argument");
	played_add(40, 40);
	ck_assert_int_eq(perf_events_add(&events, 40, true, &err), -EINVAL);
}
END_TEST

/* The time that all events have counted, where the event is a clock of threads. */
static uint64_t counted(const char *name, struct source_options options)
{
	struct event_name event;
	uint64_t sum;

	nr_made_events = nr_played = 0;
	ck_assert_int_eq(event_name_parse(name, &event), 0);
	options.event = &event;
	add(options);
	for (uint64_t i = 0; i < NR_OPENED; i++)
		made_count(OPENED(i), 1000 << i, 0);
	sum = perf_events_ran_ns(&events);
	perf_events_close(&events);
	return sum;
}

START_TEST(time_that_threads_ran)
{
	const struct source_options options = {.freq_hz = 100};

	ck_assert_uint_eq(counted("cpu-clock", options), 15000);
	ck_assert_uint_eq(counted("task-clock", options), 15000);
	ck_assert_uint_eq(counted("cycles", options), 0);
	ck_assert_uint_eq(counted("page-faults", options), 0);
	ck_assert_uint_eq(counted("cpu-clock", (struct source_options){.period = 1000}), 0);
	ck_assert_uint_eq(
		counted("cpu-clock", (struct source_options){.freq_hz = 100, .all = true}), 0);
}
END_TEST

/* Those of all threads on the CPU of a buffer, since the last time. */
START_TEST(samples_without_room)
{
	add((struct source_options){.freq_hz = 100});
	for (uint64_t i = 0; i < NR_OPENED; i++)
		made_count(OPENED(i), 1, 10 << i);
	ck_assert_uint_eq(perf_events_take_lost(&events, 0), 10 + 40);
	ck_assert_uint_eq(perf_events_take_lost(&events, 1), 20 + 80);
	made_count(OPENED(0), 1, 11);
	made_count(OPENED(2), 1, 43);
	ck_assert_uint_eq(perf_events_take_lost(&events, 0), 1 + 3);
	perf_events_close(&events);
	nr_made_events = nr_played = 0;
	made_open_refuses = older_kernel;
	counts_lost = false;
	knows_build_ids = knows_cgroups = lets_count_kernel = true;
	add((struct source_options){.freq_hz = 100});
	made_count(OPENED(0), 1, 10);
	ck_assert_uint_eq(perf_events_take_lost(&events, 0), 0);
}
END_TEST

START_TEST(what_cannot_be_opened)
{
	const struct source_options options = {.freq_hz = 100, .all = true, .cpus = &cpus};

	cpus_error = -EIO;
	ck_assert_int_eq(perf_events_open(&events, &options, &err), -EIO);
	ck_assert_str_eq(err.text, "failed to read the CPUs");
	perf_events_close(&events);
	cpus_error = 0;
	made_open_error = EBUSY;
	ck_assert_int_eq(perf_events_open(&events, &options, &err), -EBUSY);
	ck_assert_str_eq(err.text, "failed to open event 'cpu-clock': Device or resource busy");
	perf_events_close(&events);
	open_for((struct source_options){.freq_hz = 100});
	played_add(10, 10);
	ck_assert_int_eq(perf_events_add(&events, 10, true, &err), -EBUSY);
}
END_TEST

/* A child of the recorder has no buffers. */
START_TEST(buffers_stay_here)
{
	int status;
	pid_t child;

	add((struct source_options){.freq_hz = 100});
	child = fork();
	if (!child) {
		char *page = (char *)events.rings[0].page, *last = page + MADE_RING_BYTES;

		_exit(!msync(page, 1, MS_ASYNC) || !msync(last, 1, MS_ASYNC));
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* All descriptors are closed, and all buffers are mapped no more. */
START_TEST(events_close)
{
	int fd = dup(STDERR_FILENO);
	void *page;

	close(fd);
	add((struct source_options){.freq_hz = 100});
	page = events.rings[0].page;
	ck_assert_int_eq(msync(page, 1, MS_ASYNC), 0);
	perf_events_close(&events);
	ck_assert_int_ne(msync(page, 1, MS_ASYNC), 0);
	ck_assert_int_eq(dup(STDERR_FILENO), fd);
	close(fd);
}
END_TEST

static void begin(void)
{
}

SUITE_MAIN_WITH("perf_events", begin, end, events_of_threads, events_of_a_command,
		what_a_sample_has, what_the_others_tell, samples_without_room,
		periods_and_frequencies, all_processes, what_kernels_lack, the_event_by_default,
		modifiers, smaller_buffers, threads_that_end, counting, time_that_threads_ran,
		what_cannot_be_opened, buffers_stay_here, events_close)
