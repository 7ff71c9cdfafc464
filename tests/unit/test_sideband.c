// SPDX-License-Identifier: GPL-2.0-or-later
/* The real side-band: what the kernel tells of processes that these tests start. */
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

#include "common/cleanup.h"
#include "record/system/cpus.h"
#include "record/process/sideband.h"
#include "tests/unit/skip.h"
#include "tests/unit/suite.h"

struct seen {
	struct sideband_record record;
	char name[256];
};

/* The records of one process. */
struct log {
	uint32_t pid;
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
	/* The tests vouch for their own records only: another process's may just be written. */
	if (record->pid != log->pid)
		return 0;
	log->out_of_order |= record->time_ns < log->last_ns;
	log->last_ns = record->time_ns;
	snprintf(seen.name, sizeof(seen.name), "%s", record->name);
	return vec_push(&log->seen, seen);
}

static struct sideband *open_sideband(void)
{
	struct sideband *sb = NULL;
	struct err err = {0};
	u32_vec cpus = {0};

	ck_assert_int_eq(cpus_online(&cpus, &err), 0);
	ck_assert_msg(!sideband_create(&cpus, &sb, &err), "%s", err.text);
	vec_free(&cpus);
	return sb;
}

static void read_all(struct sideband *sb, struct log *log)
{
	ck_assert_int_eq(sideband_read(sb, now_ns(), note, log), 0);
	ck_assert(!log->out_of_order);
	ck_assert_uint_eq(sideband_lost(sb), 0);
}

/* Position of the first record of @type whose name ends with @suffix. */
static size_t position(const struct log *log, enum sideband_type type, const char *suffix)
{
	for (size_t i = 0; i < log->seen.nr; i++) {
		const struct seen *seen = &log->seen.data[i];
		size_t len = strlen(seen->name), end = strlen(suffix);

		if (seen->record.type == type && len >= end &&
		    !strcmp(seen->name + len - end, suffix))
			return i;
	}
	ck_abort_msg("no record of type %d '%s'", type, suffix);
}

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
	struct sideband *sb = open_sideband();
	struct log log = {.pid = run_true()};
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	size_t fork_at, exec_at, mmap_at, libc_at, exit_at;
	const struct sideband_record *mmap;
	struct build_id want;

	read_all(sb, &log);
	fork_at = position(&log, SIDEBAND_FORK, "");
	exec_at = position(&log, SIDEBAND_EXEC, "");
	mmap_at = position(&log, SIDEBAND_MMAP, "/true");
	libc_at = position(&log, SIDEBAND_MMAP, "/libc.so.6");
	exit_at = position(&log, SIDEBAND_EXIT, "");
	ck_assert_uint_lt(fork_at, exec_at);
	ck_assert_uint_lt(exec_at, mmap_at);
	ck_assert_uint_lt(mmap_at, exit_at);
	ck_assert_uint_lt(exec_at, libc_at);
	ck_assert_uint_lt(libc_at, exit_at);
	ck_assert_uint_eq(log.seen.data[fork_at].record.parent_pid, getpid());
	ck_assert_uint_eq(log.seen.data[exit_at].record.tid, log.pid);

	mmap = &log.seen.data[mmap_at].record;
	ck_assert_uint_gt(mmap->size, 0);
	ck_assert_uint_eq(mmap->addr % 4096, 0);
	ck_assert_int_eq(build_id_from_fd(fd, &want), 0);
	ck_assert(build_id_equal(&mmap->build_id, &want));
	close(fd);
	vec_free(&log.seen);
	sideband_destroy(sb);
}
END_TEST

/* Records behind the time that the caller vouches for are kept for the next read. */
START_TEST(later_records_are_kept)
{
	struct sideband *sb = open_sideband();
	uint64_t before_ns = now_ns();
	struct log log = {.pid = run_true()}, all = {.pid = log.pid};
	uint64_t middle_ns;

	ck_assert_int_eq(sideband_read(sb, before_ns, note, &log), 0);
	ck_assert_uint_eq(log.seen.nr, 0);
	ck_assert_int_eq(sideband_read(sb, before_ns, note, &log), 0);
	ck_assert_uint_eq(log.seen.nr, 0);
	read_all(sb, &log);
	ck_assert_uint_ge(log.seen.nr, 5);
	/* In two parts: together they are what there is, each record once. */
	all.pid = run_true();
	middle_ns = now_ns();
	log.pid = run_true();
	vec_clear(&log.seen);
	ck_assert_int_eq(sideband_read(sb, middle_ns, note, &all), 0);
	position(&all, SIDEBAND_EXIT, "");
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, note, &log), 0);
	position(&log, SIDEBAND_FORK, "");
	position(&log, SIDEBAND_EXIT, "");
	for (size_t i = 0; i < log.seen.nr; i++)
		ck_assert_uint_gt(log.seen.data[i].record.time_ns, middle_ns);
	log.pid = all.pid;
	vec_clear(&log.seen);
	read_all(sb, &log);
	ck_assert_uint_eq(log.seen.nr, 0);
	vec_free(&log.seen);
	vec_free(&all.seen);
	sideband_destroy(sb);
}
END_TEST

START_TEST(mappings_of_our_own)
{
	struct sideband *sb = open_sideband();
	struct log log = {.pid = getpid()};
	const struct sideband_record *record;
	void *code, *data;

	data = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(data, MAP_FAILED);
	code = mmap(NULL, 12288, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	read_all(sb, &log);
	/* Mappings of data are not told of. */
	ck_assert_uint_eq(log.seen.nr, 1);
	record = &log.seen.data[0].record;
	ck_assert_int_eq(record->type, SIDEBAND_MMAP);
	ck_assert_str_eq(log.seen.data[0].name, "//anon");
	ck_assert_uint_eq(record->addr, (uintptr_t)code);
	ck_assert_uint_eq(record->size, 12288);
	ck_assert(build_id_is_none(&record->build_id));
	/* What becomes executable later is, as a JIT compiler does it. */
	vec_clear(&log.seen);
	ck_assert_int_eq(mprotect(data, 8192, PROT_READ | PROT_EXEC), 0);
	read_all(sb, &log);
	ck_assert_uint_eq(log.seen.nr, 1);
	ck_assert_uint_le(log.seen.data[0].record.addr, (uintptr_t)data);
	munmap(data, 8192);
	munmap(code, 12288);
	vec_free(&log.seen);
	sideband_destroy(sb);
}
END_TEST

static void *do_nothing(void *arg)
{
	return arg;
}

/* The recorder tells a thread from a process by its parent, and its end by its id. */
START_TEST(threads)
{
	struct sideband *sb = open_sideband();
	struct log log = {.pid = getpid()};
	pthread_t thread;
	size_t at;

	ck_assert_int_eq(pthread_create(&thread, NULL, do_nothing, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, note, &log), 0);
	at = position(&log, SIDEBAND_FORK, "");
	ck_assert_uint_eq(log.seen.data[at].record.parent_pid, getpid());
	ck_assert_uint_ne(log.seen.data[at].record.tid, getpid());
	/* The join does not wait for the end of its exit: it need not be told of yet. */
	for (size_t i = 0; i < log.seen.nr; i++)
		if (log.seen.data[i].record.type == SIDEBAND_EXIT)
			ck_assert_uint_ne(log.seen.data[i].record.tid, getpid());
	vec_free(&log.seen);
	sideband_destroy(sb);
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

/* More than a buffer holds while nobody reads: what is dropped is counted. */
START_TEST(losses_are_counted)
{
	enum { NR = 20000 };
	struct sideband *sb;
	struct log log = {.pid = getpid()};
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	sb = open_sideband();
	for (int i = 0; i < NR; i++) {
		void *p =
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ck_assert_msg(p != MAP_FAILED, "mmap: %m");
		munmap(p, 4096);
	}
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, note, &log), 0);
	ck_assert_uint_gt(log.seen.nr, 0);
	ck_assert_uint_lt(log.seen.nr, NR);
	if (kernel_counts_lost()) {
		sideband_count_lost(sb);
		ck_assert_uint_ge(sideband_lost(sb) + log.nr_all, NR);
	}
	/* Else the kernel tells of losses when it writes again. */
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, note, &log), 0);
	sideband_count_lost(sb);
	ck_assert_uint_ge(sideband_lost(sb) + log.nr_all, NR + 1);
	vec_free(&log.seen);
	sideband_destroy(sb);
}
END_TEST

/* Buffers that wrap many times while they are read. */
START_TEST(buffers_wrap)
{
	enum { NR = 20000 };
	struct sideband *sb = open_sideband();
	struct log log = {.pid = getpid()};

	for (int i = 0; i < NR; i++) {
		void *p =
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			ck_abort_msg("mmap: %m");
		munmap(p, 4096);
		if (i % 512 == 511)
			read_all(sb, &log);
	}
	read_all(sb, &log);
	ck_assert_uint_eq(log.seen.nr, NR);
	vec_for_each(&log.seen, seen)
		if (seen->record.type != SIDEBAND_MMAP || strcmp(seen->name, "//anon") ||
		    seen->record.size != 4096)
			ck_abort_msg("a damaged record");
	vec_free(&log.seen);
	sideband_destroy(sb);
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
	struct sideband *sb = open_sideband();

	ck_assert_int_eq(sideband_read(sb, 0, refuse, NULL), 0);
	run_true();
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, refuse, NULL), -E2BIG);
	sideband_destroy(sb);
}
END_TEST

START_TEST(a_cpu_that_is_not_there)
{
	uint32_t cpu = 8191;
	u32_vec cpus = {.data = &cpu, .nr = 1};
	struct sideband *sb = NULL;
	struct err err = {0};

	ck_assert_int_lt(sideband_create(&cpus, &sb, &err), 0);
	ck_assert_ptr_null(sb);
	ck_assert_int_eq(strncmp(err.text, "failed to open the side-band event on CPU 8191: ", 48),
			 0);
	sideband_destroy(NULL);
}
END_TEST

static int run(void)
{
	const TTest *const tests[] = {a_short_process,      later_records_are_kept,
				      mappings_of_our_own,  threads,
				      losses_are_counted,   buffers_wrap,
				      errors_are_passed_on, a_cpu_that_is_not_there};

	return suite_run("sideband", NULL, 0, tests, ARRAY_SIZE(tests));
}

int main(void)
{
	struct sideband *sb = NULL;
	struct err err = {0};
	u32_vec cpus = {0};
	int ret = cpus_online(&cpus, &err);

	if (!ret)
		ret = sideband_create(&cpus, &sb, &err);
	sideband_destroy(sb);
	vec_free(&cpus);
	return ret ? skip_all("sideband", err.text) : run();
}
