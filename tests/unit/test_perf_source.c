// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams of records in the ring buffers of two CPUs. */
#include "record/sampling/perf/perf_source.h"

#include <malloc.h>

#include "tests/unit/made_records.h"
#include "tests/unit/oom.h"

START_TEST(a_sample)
{
	put_sample(1, 77, 10, 10);
	take();
	ck_assert_played("sample 10\n");
	ck_assert_uint_eq(sample.tid, 10);
	ck_assert_uint_eq(sample.time_ns, 77);
	ck_assert_uint_eq(sample.cpu, 2);
	ck_assert_str_eq(sample.comm, "first");
	ck_assert_uint_eq(sample.nr_kernel_frames, 0);
	ck_assert_uint_eq(registers_ip(&sample.regs), 0x1234);
	ck_assert_uint_eq(registers_sp(&sample.regs), STACK);
	ck_assert_uint_eq(sample.memory.begin, STACK);
	ck_assert_uint_eq(sample.memory.nr, 32);
	ck_assert(!sample.memory.is_stopped);
	ck_assert(!sample.has_thread_pointer);
	ck_assert_uint_eq((uint8_t)sample_stack[0], 1);
	ck_assert_uint_eq((uint8_t)sample_stack[31], 4);
	ck_assert_uint_eq(sampled.pid, 10);
	ck_assert_uint_eq(sampled.cgroup, 4711);
	ck_assert_uint_eq(sampled.start_code, 0x1000);
	ck_assert(sampled.has_uid);
	/* It is read. */
	ck_assert_uint_eq(rings[1]->data_tail, rings[1]->data_head);
	take();
	ck_assert_played("");
}
END_TEST

/* Frames of the kernel count where the sample hit the kernel. */
START_TEST(samples_in_the_kernel)
{
	next.nr_frames = 2;
	put_sample(0, 1, 10, 10);
	take();
	ck_assert_uint_eq(sample.nr_kernel_frames, 0);
	next.misc = PERF_RECORD_MISC_KERNEL;
	put_sample(0, 2, 10, 10);
	take();
	ck_assert_uint_eq(sample.nr_kernel_frames, 2);
	ck_assert_uint_eq(sample_frames[0], 0xffff0000);
	ck_assert_uint_eq(sample_frames[1], 0xffff0001);
	ck_assert_uint_eq(registers_ip(&sample.regs), 0x1234);
}
END_TEST

/* Records of all CPUs, in the order of their times; of equal ones in that of the buffers. */
START_TEST(the_order_of_time)
{
	put_sample(0, 300, 10, 13);
	put_sample(0, 400, 10, 14);
	put_sample(0, 400, 10, 15);
	put_sample(1, 100, 10, 11);
	put_sample(1, 200, 10, 12);
	put_sample(1, 400, 10, 16);
	take();
	ck_assert_played("sample 11\nsample 12\nsample 13\nsample 14\nsample 15\nsample 16\n");
}
END_TEST

/* What comes while the buffers are read waits for the next turn, with all behind it. */
START_TEST(records_of_later)
{
	uint64_t head;

	put_sample(0, 100, 10, 11);
	head = rings[0]->data_head;
	put_sample(0, UINT64_MAX, 10, 12);
	put_sample(0, 100, 10, 13);
	put_sample(1, 100, 10, 14);
	for (int i = 0; i < 2; i++) {
		take();
		ck_assert_played(i ? "" : "sample 11\nsample 14\n");
		ck_assert_uint_eq(rings[0]->data_tail, head);
		ck_assert_uint_eq(rings[1]->data_tail, rings[1]->data_head);
	}
}
END_TEST

/* Records that go on at the begin of the buffer, wherever its end cuts them. */
START_TEST(records_around_the_end)
{
	uint64_t bytes;

	put_sample(0, 1, 10, 10);
	bytes = rings[0]->data_head;
	for (uint64_t before = 0; before <= bytes; before += 8) {
		uint64_t at = (2 + before) * MADE_RING_BYTES - before;

		rings[0]->data_head = rings[0]->data_tail = at;
		next.ip = 0x1000 + before;
		put_sample(0, 2 + before, 10, 10);
		put_sample(0, 2 + before, 10, 11);
		take();
		ck_assert_played("sample 10\nsample 11\n");
		ck_assert_uint_eq(registers_ip(&sample.regs), 0x1000 + before);
		ck_assert_uint_eq(sample.time_ns, 2 + before);
		ck_assert_uint_eq((uint8_t)sample_stack[31], 4);
		ck_assert_uint_eq(rings[0]->data_tail, at + 2 * bytes);
	}
}
END_TEST

/* Records that hold less than a header and a trailer: nothing behind them can be found. */
START_TEST(records_that_are_none)
{
	static const struct perf_event_header headers[] = {
		{.size = 0}, {.size = sizeof(struct perf_event_header) + 23}};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		end();
		create_default();
		add(10);
		write_bytes(0, &headers[i], sizeof(headers[i]));
		ck_assert_int_eq(perf_source_take(source), -EIO);
	}
	ck_assert(perf_source_has_changed(source, 10) || headers[1].size);
}
END_TEST

/* A sample that does not hold what it says counts, without registers. */
START_TEST(a_sample_that_lies)
{
	next.nr_stack = 33;
	put_sample(0, 1, 10, 10);
	take();
	ck_assert_played("sample 10\n");
	ck_assert(!registers_are_there(&sample.regs));
}
END_TEST

/* Throttled, switched, or unknown: no record of processes, and no sample. */
START_TEST(records_of_other_kinds)
{
	PUT(0, 1, PERF_RECORD_THROTTLE, 0, 1, 2, 3);
	PUT(0, 2, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, 0);
	PUT(0, 3, 4711, 0, 0);
	take();
	ck_assert_played("");
	ck_assert_uint_eq(rings[0]->data_tail, rings[0]->data_head);
}
END_TEST

/* A kernel before Linux 6.0 does not count what an event has lost. */
static int kernel_5(const struct perf_event_attr *attr, int32_t tid)
{
	(void)tid;
	return attr->read_format & PERF_FORMAT_LOST ? EINVAL : 0;
}

static void begin_on_kernel_5(struct source_options options)
{
	end();
	made_open_refuses = kernel_5;
	create(options);
	add(10);
}

START_TEST(lost_records)
{
	begin_on_kernel_5((struct source_options){.freq_hz = 1000});
	PUT(0, 1, PERF_RECORD_LOST, 0, 0, 5);
	PUT(1, 2, PERF_RECORD_LOST, 0, 0, 1);
	take();
	ck_assert_played("lose 1 5\nlose 2 1\n");
	ck_assert_uint_eq(perf_source_nr_lost(source), 0);
	/* Names that are lost are no samples. */
	PUT(2, 3, PERF_RECORD_LOST, 0, 0, 1000000);
	PUT(3, 3, PERF_RECORD_LOST, 0, 0, 1);
	take();
	ck_assert_played("");
	ck_assert_uint_eq(perf_source_nr_lost(source), 1000001);
}
END_TEST

/* Where four samples of the kernel are one, so are four lost records. */
START_TEST(lost_parts_of_samples)
{
	begin_on_kernel_5((struct source_options){.freq_hz = 100});
	for (uint64_t i = 1; i <= 3; i++)
		PUT(0, i, PERF_RECORD_LOST, 0, 0, 5);
	take();
	ck_assert_played("lose 1 1\nlose 1 1\nlose 1 1\n");
	PUT(0, 4, PERF_RECORD_LOST, 0, 0, 1);
	take();
	ck_assert_played("lose 1 1\n");
	ck_assert_uint_eq(perf_source_nr_lost(source), 0);
}
END_TEST

/* Samples count that the events have lost, and no other records. */
START_TEST(lost_samples)
{
	made_count(&made_events[1], 0, 3);
	made_count(&made_events[2], 0, 1);
	PUT(0, 1, PERF_RECORD_LOST, 0, 0, 3);
	take();
	ck_assert_played("lose 1 3\nlose 2 1\n");
	ck_assert_uint_eq(perf_source_nr_lost(source), 0);
	/* Of processes alone. */
	made_count(&made_events[1], 0, 3);
	PUT(2, 2, PERF_RECORD_LOST, 0, 0, 10);
	take();
	ck_assert_played("");
	ck_assert_uint_eq(perf_source_nr_lost(source), 10);
	/* What no record tells. */
	made_count(&made_events[1], 0, 5);
	perf_source_stop(source);
	ck_assert_played("lose 1 2\n");
	ck_assert_uint_eq(perf_source_nr_lost(source), 10);
}
END_TEST

/* Of each thread every fourth sample counts, and the first of them by lot. */
START_TEST(samples_that_are_skipped)
{
	end();
	create((struct source_options){.freq_hz = 100});
	add(10);
	for (lot = 0; lot < 5; lot++) {
		for (uint64_t i = 0; i < 9; i++) {
			uint64_t first = 3 - lot % 4;

			put_sample(0, 1, 10, 20 + lot);
			take();
			ck_assert_int_eq(played_log[0] != 0, i % 4 == first);
			played_log[0] = '\0';
		}
	}
}
END_TEST

/* A child is followed as its parent is, and has the name of the thread that began it. */
START_TEST(forks)
{
	ck_assert_int_eq(perf_source_add(source, 10, false, true, &err), 0);
	put_sample(0, 1, 10, 10);
	put_name(2, 10, 11, "second");
	put_fork(3, 20, 20, 10, 11);
	put_sample(0, 4, 20, 20);
	take();
	ck_assert_played("sample 10\nfork 20 of 10\nsample 20\n");
	ck_assert_str_eq(sample.comm, "second");
	ck_assert(sampled.is_followed);
	ck_assert_uint_eq(sampled.start, 2);
	/* A thread of it. */
	put_fork(5, 20, 21, 20, 20);
	put_sample(0, 6, 20, 21);
	take();
	ck_assert_played("fork 20 of 20\nsample 21\n");
	ck_assert_uint_eq(sampled.start, 2);
	ck_assert_str_eq(sample.comm, "second");
	/* The id comes again, and nobody has told of the end. */
	put_fork(7, 20, 20, 30, 30);
	put_sample(0, 8, 20, 20);
	take();
	ck_assert_played("fork 20 of 30\nsample 20\n");
	ck_assert_uint_eq(sampled.start, 3);
	ck_assert(!sampled.is_followed);
	ck_assert_str_eq(sample.comm, "");
}
END_TEST

START_TEST(ends)
{
	put_sample(0, 1, 10, 10);
	put_fork(2, 10, 11, 10, 10);
	put_exit(3, 10, 10);
	put_sample(0, 4, 10, 11);
	take();
	ck_assert_played("sample 10\nfork 10 of 10\nexit 10 of 1\nsample 11\n");
	ck_assert_uint_eq(sampled.start, 1);
	put_exit(5, 10, 11);
	put_sample(0, 6, 10, 10);
	take();
	ck_assert_played("exit 10 of 1\nsample 10\n");
	ck_assert_uint_eq(sampled.start, 2);
}
END_TEST

/* Names change, which nobody else is told, and end where their room does. */
START_TEST(names)
{
	PUT(0, 1, PERF_RECORD_COMM, 0, PAIR(10, 10), text("sixteen "), text("bytes..."), 0);
	put_sample(0, 2, 10, 10);
	take();
	ck_assert_played("sample 10\n");
	ck_assert_str_eq(sample.comm, "sixteen bytes..");
	put_name(3, 10, 10, "short");
	put_sample(0, 4, 10, 10);
	take();
	ck_assert_str_eq(sample.comm, "short");
	ck_assert_uint_eq(sampled.nr_execs, 0);
}
END_TEST

START_TEST(execs_and_mappings)
{
	put_sample(0, 1, 10, 10);
	put_exec(2, 10, "program");
	put_mapping(3, 10);
	put_sample(0, 4, 10, 10);
	take();
	ck_assert_played("sample 10\nexec 10 program\nmmap 10 /lib/a\nsample 10\n");
	ck_assert_str_eq(sample.comm, "program");
	ck_assert_uint_eq(sampled.nr_execs, 1);
	ck_assert_uint_eq(sampled.exec_pages, 2);
}
END_TEST

/*
 * Within exec the registers are those of the old program. Those of the new one are in user space,
 * or near its stack.
 */
START_TEST(between_programs)
{
	static const struct {
		uint64_t sp;
		uint16_t misc;
		bool has_registers;
	} cases[] = {
		{STACK + 0x100 - NEAR, PERF_RECORD_MISC_KERNEL, false},
		{STACK + 0x100 - NEAR + 1, PERF_RECORD_MISC_KERNEL, true},
		{STACK + 0x101, PERF_RECORD_MISC_KERNEL, false},
		{0x1000, PERF_RECORD_MISC_USER, true},
	};

	for (uint64_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_exec(1 + i, 10, "program");
		next.sp = cases[i].sp;
		next.misc = cases[i].misc;
		put_sample(0, 1 + i, 10, 10);
		take();
		ck_assert_int_eq(registers_are_there(&sample.regs), cases[i].has_registers);
		if (!cases[i].has_registers)
			continue;
		/* It has left exec. */
		next.misc = PERF_RECORD_MISC_KERNEL;
		next.sp = 0x1000;
		put_sample(0, 1 + i, 10, 10);
		take();
		ck_assert(registers_are_there(&sample.regs));
	}
}
END_TEST

/* Code that /proc does not tell of any more was there, if the sample has registers. */
START_TEST(a_process_that_has_gone)
{
	put_sample(0, 1, 99, 99);
	take();
	ck_assert_uint_eq(sampled.start_code, 1);
	next.cs = 0;
	put_sample(0, 2, 98, 98);
	take();
	ck_assert_uint_eq(sampled.start_code, 0);
}
END_TEST

/* A process that ends by a record that is yet to come: /proc may have told of another one. */
START_TEST(users_of_ids_that_come_again)
{
	put_sample(0, 1, 10, 10);
	put_exit(2, 10, 10);
	take();
	ck_assert(!sampled.has_uid);
	put_sample(0, 3, 20, 20);
	put_exit(4, 20, 21);
	put_exit(5, 21, 20);
	take();
	ck_assert(sampled.has_uid);
	/* The kernel's own threads have no process. */
	put_sample(0, 6, 0, 0);
	take();
	ck_assert(!sampled.has_uid);
}
END_TEST

/* The user of a child is its parent's, unless that is root, who may become another one. */
START_TEST(users_of_children)
{
	static const uint32_t uids[] = {1000, 0};

	for (uint32_t i = 0; i < ARRAY_SIZE(uids); i++) {
		played_uid = uids[i];
		put_sample(0, 1, 30 + i, 30 + i);
		take();
		played_uid = UINT32_MAX; /* it is not known */
		put_fork(2, 40 + i, 40 + i, 30 + i, 30 + i);
		put_sample(0, 3, 40 + i, 40 + i);
		take();
		ck_assert_int_eq(sampled.has_uid, uids[i] != 0);
		ck_assert_uint_eq(sampled.uid, uids[i]);
	}
}
END_TEST

/* What waits to be read says that a process has ended, or begun an address space. */
START_TEST(changes_that_wait)
{
	put_mapping(1, 10);
	put_name(2, 10, 10, "name");
	put_fork(3, 10, 11, 10, 10);
	put_exit(4, 10, 11);
	ck_assert(!perf_source_has_changed(source, 10));
	put_exit(5, 10, 10);
	put_exec(6, 20, "program");
	put_fork(7, 30, 30, 10, 10);
	for (uint32_t pid = 10; pid <= 30; pid += 10)
		ck_assert(perf_source_has_changed(source, pid));
	ck_assert(!perf_source_has_changed(source, 40));
	take();
	for (uint32_t pid = 10; pid <= 30; pid += 10)
		ck_assert(!perf_source_has_changed(source, pid));
	/* Who knows what is behind a record that is none? */
	write_bytes(1, &(struct perf_event_header){.size = 7}, 8);
	ck_assert(perf_source_has_changed(source, 40));
}
END_TEST

/* Samples of @nr_samples, and time for @nr_due of them, with the kernel's time or without it. */
static void stop_after(uint64_t nr_samples, uint64_t nr_due, struct source_options options)
{
	struct event_name clock;

	end();
	ck_assert_int_eq(event_name_parse("cpu-clock", &clock), 0);
	options.event = &clock;
	create(options);
	add(10);
	for (uint64_t i = 0; i < nr_samples; i++)
		put_sample(0, 1, 10, 10);
	take();
	played_log[0] = '\0';
	nr_due = nr_due * NS_PER_S / 1000;
	made_count(&made_events[1], nr_due, 0);
	perf_source_stop(source);
}

static int no_kernel(const struct perf_event_attr *attr, int32_t tid)
{
	(void)tid;
	return attr->exclude_kernel ? 0 : EACCES;
}

/* Threads that end within a period have no sample, but their time counts. */
START_TEST(short_threads)
{
	const struct source_options options = {.freq_hz = 1000}, four = {.freq_hz = 250};

	stop_after(10, 12, options);
	ck_assert_played("");
	ck_assert_ptr_null(perf_source_lacks(source));
	stop_after(10, 13, options);
	ck_assert_played("lose 1 3\n");
	ck_assert_str_eq(
		perf_source_lacks(source),
		"threads that end within a period have no samples by perf events, which are counted as lost: '--backend ptrace' samples them");
	stop_after(10, 30, four);
	ck_assert_played("lose 1 5\n");
	made_open_refuses = no_kernel;
	stop_after(10, 13, options);
	ck_assert_played("");
	ck_assert_str_eq(
		perf_source_lacks(source),
		"CPU time is under-reported: perf events took no samples in the kernel, nor in threads that end within a period; '--backend ptrace' samples such threads");
	ck_assert(!perf_source_has_kernel(source));
}
END_TEST

/* Lost samples stand for time as well. */
START_TEST(short_threads_and_lost_records)
{
	end();
	create((struct source_options){.freq_hz = 1000});
	add(10);
	ck_assert_str_eq(perf_source_event(source)->name, "cycles");
	ck_assert(perf_source_has_kernel(source));
	made_count(&made_events[1], 0, 50);
	perf_source_stop(source);
	ck_assert_played("lose 1 50\n");
	ck_assert_ptr_null(perf_source_lacks(source));
}
END_TEST

/* What the listener cannot do ends the recording. */
START_TEST(errors_of_the_listener)
{
	listener_error = -EIO;
	put_mapping(1, 10);
	put_sample(0, 2, 10, 10);
	ck_assert_int_eq(perf_source_take(source), -EIO);
	ck_assert_played("mmap 10 /lib/a\n");
}
END_TEST

START_TEST(what_is_polled)
{
	size_t nr;
	const int *fds = perf_source_fds(source, &nr);

	ck_assert_uint_eq(nr, 4);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(fds[2 * i], made_tellers[1 + i].fd);
		ck_assert_int_eq(fds[2 * i + 1], made_events[1 + i].fd);
	}
}
END_TEST

/* Processes and threads that cannot be added; a source of none takes nothing. */
START_TEST(a_source_of_none)
{
	end();
	create_default();
	ck_assert_int_eq(perf_source_add(source, 99, false, false, &err), -ESRCH);
	take();
	ck_assert(!perf_source_has_changed(source, 99));
	ck_assert_int_eq(perf_source_add(source, 10, true, false, &err), 0);
	take();
	cpus_error = -EIO;
	ck_assert_int_eq(perf_source_create(&(struct source_options){.cpus = &cpus}, &source, &err),
			 -EIO);
}
END_TEST

/* What a source has, it gives back: after some turns, there is as much memory as before. */
START_TEST(a_source_ends)
{
	size_t bytes[12];

	end();
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		create_default();
		add(10);
		stopped_pid = 10;
		put_sample(0, 1, 10, 10);
		take();
		perf_source_destroy(source);
		cpus_error = -EIO;
		ck_assert_int_eq(
			perf_source_create(&(struct source_options){.cpus = &cpus}, &source, &err),
			-EIO);
		cpus_error = 0;
		bytes[i] = mallinfo2().uordblks;
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
	perf_source_destroy(NULL);
	create_default();
}
END_TEST

/* A process is sampled, and has a child, another name, new code and a stop. */
static int sample_all(void)
{
	int ret = perf_source_add(source, 10, false, false, &err);

	if (ret)
		return ret;
	map_rings();
	put_mapping(1, 10);
	put_name(2, 10, 11, "name");
	put_fork(3, 20, 20, 10, 10);
	put_fork(4, 20, 21, 20, 20);
	put_sample(0, 5, 30, 30);
	put_sample(1, 6, 10, 10);
	ret = perf_source_start(source, &err);
	return ret ? ret : perf_source_take(source);
}

START_TEST(out_of_memory)
{
	int fd;

	end();
	fd = dup(STDERR_FILENO);
	close(fd);
	stopped_pid = 10;
	oom_for_each_call(n)
	{
		const struct source_options options = {
			.freq_hz = 1000, .cpus = &cpus, .listener = played_listener};
		int ret = perf_source_create(&options, &source, &err);

		nr_made_events = 0;
		if (!ret) {
			ret = sample_all();
			perf_source_destroy(source);
		}
		played_log[0] = '\0';
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		ck_assert_int_eq(dup(STDERR_FILENO), fd);
		close(fd);
	}
	source = NULL;
}
END_TEST

/* Is a buffer of an event mapped? */
static bool has_buffers(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	bool has = false;
	char line[512];

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		has |= strstr(line, "memfd:event") != NULL;
	fclose(f);
	return has;
}

/* Each step of a start fails in turn. Nothing is left of those before it. */
START_TEST(a_start_that_fails)
{
	size_t bytes[12];
	int fd;

	end();
	for (size_t i = 0; i < ARRAY_SIZE(rings); i++)
		munmap(rings[i], sysconf(_SC_PAGESIZE) + MADE_RING_BYTES);
	fd = dup(STDERR_FILENO);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		made_failing_step = nr_made_steps = 0;
		for (; made_failing_step <= nr_made_steps; made_failing_step++) {
			int ret;

			nr_made_steps = nr_made_events = 0;
			create_default();
			ret = perf_source_add(source, 10, false, false, &err);
			if (!ret)
				ret = perf_source_start(source, &err);
			ck_assert(has_buffers() || ret);
			perf_source_destroy(source);
			/* Another event is tried if the first one cannot be opened. */
			ck_assert(ret == -EIO || made_failing_step < 2 ||
				  made_failing_step >= nr_made_steps);
			ck_assert_int_eq(dup(STDERR_FILENO), fd);
			close(fd);
			ck_assert(!has_buffers());
		}
		bytes[i] = mallinfo2().uordblks;
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
	source = NULL;
}
END_TEST

SUITE_MAIN_WITH("perf_source", begin, end, a_sample, samples_in_the_kernel, the_order_of_time,
		records_of_later, records_around_the_end, records_that_are_none, a_sample_that_lies,
		records_of_other_kinds, lost_records, lost_parts_of_samples, lost_samples,
		samples_that_are_skipped, forks, ends, names, execs_and_mappings, between_programs,
		a_process_that_has_gone, users_of_ids_that_come_again, users_of_children,
		changes_that_wait, short_threads, short_threads_and_lost_records,
		errors_of_the_listener, what_is_polled, a_source_of_none, a_source_ends,
		out_of_memory, a_start_that_fails)
