// SPDX-License-Identifier: GPL-2.0-or-later
/* The side-band of the kernel, about processes that the tests start. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/host/cpus.h"
#include "record/process/sideband.h"
#include "tests/unit/suite.h"

struct seen {
	struct sideband_record record;
	char name[256];
};

/* The records of one process, or of two. */
struct log {
	uint32_t pid, pid_too; /* 0: none */
	uint64_t last_ns;
	bool out_of_order;
	size_t nr_all; /* of every process */
	VEC(struct seen) seen;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

static int note(void *ctx, const struct sideband_record *record)
{
	struct log *log = ctx;
	struct seen seen = {.record = *record};

	log->nr_all++;
	/* Of other processes, a record may be written at this moment. */
	if (record->pid != log->pid && (!log->pid_too || record->pid != log->pid_too))
		return 0;
	log->out_of_order |= record->time_ns < log->last_ns;
	log->last_ns = record->time_ns;
	snprintf(seen.name, sizeof(seen.name), "%s", record->name);
	return vec_push(&log->seen, seen);
}

/* The side-band of all CPUs, and the log of a test. */
static struct sideband *sb;
static struct log seen_log;

static int create_sideband(struct err *err)
{
	u32_vec cpus = {0};
	int ret = cpus_online(&cpus, err);

	if (!ret)
		ret = sideband_create(&cpus, &sb, err);
	vec_free(&cpus);
	return ret;
}

static void begin(void)
{
	struct err err = {0};

	ck_assert_msg(!create_sideband(&err), "%s", err.text);
	seen_log = (struct log){.pid = getpid()};
}

static void end(void)
{
	vec_free(&seen_log.seen);
	sideband_destroy(sb);
	sb = NULL;
}

/* Reads the records up to @until_ns. */
static void read_until(uint64_t until_ns)
{
	ck_assert_int_eq(sideband_read(sb, until_ns, note, &seen_log), 0);
}

/* Reads the records up to now, of which none may be lost. */
static void read_all(void)
{
	read_until(now_ns());
	ck_assert(!seen_log.out_of_order);
	ck_assert_uint_eq(sideband_lost(sb), 0);
}

/* Position of the first record of @type whose name ends with @suffix. */
static size_t position(enum sideband_type type, const char *suffix)
{
	for (size_t i = 0; i < seen_log.seen.nr; i++) {
		const struct seen *seen = &seen_log.seen.data[i];
		size_t len = strlen(seen->name), end = strlen(suffix);

		if (seen->record.type == type && len >= end &&
		    !strcmp(seen->name + len - end, suffix))
			return i;
	}
	ck_abort_msg("no record of type %d '%s'", type, suffix);
}

/* Other sources than the kernel add records, which take their turn by time. */
START_TEST(added_records)
{
	const uint64_t before = now_ns();
	struct sideband_record move = {.type = SIDEBAND_MOVE,
				       .pid = getpid(),
				       .addr = 0x1000,
				       .size = 0x2000,
				       .old_addr = 0x5000,
				       .old_size = 0x3000,
				       .keeps_old = true};
	struct sideband_record share = {
		.type = SIDEBAND_SHARE, .pid = getpid(), .parent_pid = 7, .time_ns = before};
	const struct sideband_record *got;
	void *code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(code, 1);
	move.time_ns = now_ns();
	ck_assert_int_eq(sideband_add(sb, &move), 0);
	ck_assert_int_eq(sideband_add(sb, &share), 0);
	/* The first two are handed out, the last one waits. */
	read_until(move.time_ns - 1);
	ck_assert_uint_eq(seen_log.seen.nr, 2);
	ck_assert_int_eq(seen_log.seen.data[0].record.type, SIDEBAND_SHARE);
	ck_assert_uint_eq(seen_log.seen.data[0].record.parent_pid, 7);
	ck_assert_int_eq(seen_log.seen.data[1].record.type, SIDEBAND_MMAP);
	read_all();
	ck_assert_uint_eq(seen_log.seen.nr, 3);
	got = &seen_log.seen.data[2].record;
	ck_assert_int_eq(got->type, SIDEBAND_MOVE);
	ck_assert_uint_eq(got->addr + got->size, 0x3000);
	ck_assert_uint_eq(got->old_addr + got->old_size, 0x8000);
	ck_assert(got->keeps_old);
	sideband_set_unsent(sb, 3);
	ck_assert_uint_eq(sideband_lost(sb), 3);
}
END_TEST

static uint32_t run_true(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	return pid;
}

START_TEST(a_short_process)
{
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	size_t fork_at, exec_at, mmap_at, libc_at, exit_at;
	const struct sideband_record *mmap;
	struct build_id want;

	seen_log.pid = run_true();
	read_all();
	fork_at = position(SIDEBAND_FORK, "");
	exec_at = position(SIDEBAND_EXEC, "");
	mmap_at = position(SIDEBAND_MMAP, "/true");
	libc_at = position(SIDEBAND_MMAP, "/libc.so.6");
	exit_at = position(SIDEBAND_EXIT, "");
	ck_assert_uint_lt(fork_at, exec_at);
	ck_assert_uint_lt(exec_at, mmap_at);
	ck_assert_uint_lt(mmap_at, exit_at);
	ck_assert_uint_lt(exec_at, libc_at);
	ck_assert_uint_lt(libc_at, exit_at);
	ck_assert_uint_eq(seen_log.seen.data[fork_at].record.parent_pid, getpid());
	ck_assert_uint_eq(seen_log.seen.data[exit_at].record.tid, seen_log.pid);

	mmap = &seen_log.seen.data[mmap_at].record;
	ck_assert_uint_gt(mmap->size, 0);
	ck_assert_uint_eq(mmap->addr % 4096, 0);
	ck_assert_int_eq(build_id_from_fd(fd, &want), 0);
	ck_assert(build_id_equal(&mmap->build_id, &want));
	close(fd);
}
END_TEST

/* Records later than the time that the caller vouches for are kept for the next read. */
START_TEST(later_records_are_kept)
{
	uint64_t before_ns = now_ns();

	seen_log.pid = run_true();
	ck_assert(!sideband_has_begun(sb, seen_log.pid));
	read_until(before_ns);
	ck_assert_uint_eq(seen_log.seen.nr, 0);
	read_until(before_ns);
	ck_assert_uint_eq(seen_log.seen.nr, 0);
	ck_assert(sideband_has_begun(sb, seen_log.pid));
	ck_assert(!sideband_has_begun(sb, getpid()));
	read_all();
	ck_assert_uint_ge(seen_log.seen.nr, 5);
	ck_assert(!sideband_has_begun(sb, seen_log.pid));
}
END_TEST

/* Two reads together see each record once. */
START_TEST(records_in_two_parts)
{
	uint32_t first = run_true(), second;
	uint64_t middle_ns = now_ns();

	second = run_true();
	seen_log.pid = first;
	read_until(middle_ns);
	position(SIDEBAND_EXEC, "");
	position(SIDEBAND_EXIT, "");
	vec_clear(&seen_log.seen);
	seen_log.pid_too = second;
	read_until(UINT64_MAX);
	position(SIDEBAND_FORK, "");
	position(SIDEBAND_EXIT, "");
	for (size_t i = 0; i < seen_log.seen.nr; i++)
		ck_assert_uint_gt(seen_log.seen.data[i].record.time_ns, middle_ns);
	vec_clear(&seen_log.seen);
	read_all();
	ck_assert_uint_eq(seen_log.seen.nr, 0);
}
END_TEST

START_TEST(mappings_of_our_own)
{
	const struct sideband_record *record;
	void *code, *data;

	data = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(data, MAP_FAILED);
	code = mmap(NULL, 12288, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	read_all();
	/* Mappings of data have no record. */
	ck_assert_uint_eq(seen_log.seen.nr, 1);
	record = &seen_log.seen.data[0].record;
	ck_assert_int_eq(record->type, SIDEBAND_MMAP);
	ck_assert_str_eq(seen_log.seen.data[0].name, "//anon");
	ck_assert_uint_eq(record->addr, (uintptr_t)code);
	ck_assert_uint_eq(record->size, 12288);
	ck_assert(build_id_is_none(&record->build_id));
	/* Memory that becomes executable later has one. JIT compilers do that. */
	vec_clear(&seen_log.seen);
	ck_assert_int_eq(mprotect(data, 8192, PROT_READ | PROT_EXEC), 0);
	read_all();
	ck_assert_uint_eq(seen_log.seen.nr, 1);
	ck_assert_uint_le(seen_log.seen.data[0].record.addr, (uintptr_t)data);
	munmap(data, 8192);
	munmap(code, 12288);
}
END_TEST

static void *do_nothing(void *arg)
{
	return arg;
}

/* A new thread has its own process for its parent. Its end has its own id. */
START_TEST(threads)
{
	pthread_t thread;
	size_t at;

	ck_assert_int_eq(pthread_create(&thread, NULL, do_nothing, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	read_until(UINT64_MAX);
	at = position(SIDEBAND_FORK, "");
	ck_assert_uint_eq(seen_log.seen.data[at].record.parent_pid, getpid());
	ck_assert_uint_ne(seen_log.seen.data[at].record.tid, getpid());
	/* The join may return before the exit is recorded. */
	for (size_t i = 0; i < seen_log.seen.nr; i++)
		if (seen_log.seen.data[i].record.type == SIDEBAND_EXIT)
			ck_assert_uint_ne(seen_log.seen.data[i].record.tid, getpid());
}
END_TEST

static bool kernel_counts_lost(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = 1 << 4, /* PERF_FORMAT_LOST */
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* More records than a buffer holds come while nobody reads. Dropped records are counted. */
START_TEST(losses_are_counted)
{
	enum { NR = 20000 };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	end();
	begin();
	for (int i = 0; i < NR; i++) {
		void *p =
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ck_assert_msg(p != MAP_FAILED, "mmap: %m");
		munmap(p, 4096);
	}
	read_until(UINT64_MAX);
	ck_assert_uint_gt(seen_log.seen.nr, 0);
	ck_assert_uint_lt(seen_log.seen.nr, NR);
	if (kernel_counts_lost()) {
		sideband_count_lost(sb);
		ck_assert_uint_ge(sideband_lost(sb) + seen_log.nr_all, NR);
	}
	/* Other kernels report losses when they write again. */
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	read_until(UINT64_MAX);
	sideband_count_lost(sb);
	ck_assert_uint_ge(sideband_lost(sb) + seen_log.nr_all, NR + 1);
}
END_TEST

/* Buffers wrap many times while they are read. */
START_TEST(buffers_wrap)
{
	enum { NR = 20000 };

	for (int i = 0; i < NR; i++) {
		void *p =
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			ck_abort_msg("mmap: %m");
		munmap(p, 4096);
		if (i % 512 == 511)
			read_all();
	}
	read_all();
	ck_assert_uint_eq(seen_log.seen.nr, NR);
	vec_for_each(&seen_log.seen, seen)
		if (seen->record.type != SIDEBAND_MMAP || strcmp(seen->name, "//anon") ||
		    seen->record.size != 4096)
			ck_abort_msg("a damaged record");
}
END_TEST

static int refuse(void *ctx, const struct sideband_record *record)
{
	(void)ctx;
	(void)record;
	return -E2BIG;
}

START_TEST(errors_are_passed_on)
{
	ck_assert_int_eq(sideband_read(sb, 0, refuse, NULL), 0);
	run_true();
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, refuse, NULL), -E2BIG);
}
END_TEST

START_TEST(a_cpu_that_is_not_there)
{
	uint32_t cpu = 8191;
	u32_vec cpus = {.data = &cpu, .nr = 1};
	struct sideband *none = NULL;
	struct err err = {0};

	ck_assert_int_lt(sideband_create(&cpus, &none, &err), 0);
	ck_assert_ptr_null(none);
	ck_assert_int_eq(strncmp(err.text, "failed to open the side-band event on CPU 8191: ", 48),
			 0);
	sideband_destroy(NULL);
}
END_TEST

static const char *missing(void)
{
	static struct err err;
	int ret = create_sideband(&err);

	sideband_destroy(sb);
	sb = NULL;
	return ret ? err.text : NULL;
}

static const struct suite suite = {
	.name = "sideband", .missing = missing, .begin = begin, .end = end};

/* Records without room in the pool count as lost, and those that follow a read have room again. */
START_TEST(too_many_records_at_once)
{
	sideband_limit(sb, 1);
	run_true();
	read_until(now_ns());
	ck_assert_uint_eq(seen_log.nr_all, 0);
	ck_assert_uint_gt(sideband_lost(sb), 3);
	sideband_limit(sb, 1 << 20);
	run_true();
	read_until(now_ns());
	ck_assert_uint_gt(seen_log.nr_all, 3);
}
END_TEST

SUITE_MAIN_OF(suite, added_records, a_short_process, later_records_are_kept, records_in_two_parts,
	      mappings_of_our_own, threads, losses_are_counted, buffers_wrap, errors_are_passed_on,
	      a_cpu_that_is_not_there, too_many_records_at_once)
