// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/targets.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "tests/unit/suite.h"

static struct targets t;

static void begin(void)
{
	t = (struct targets){0};
}

static void end(void)
{
	targets_deinit(&t);
}

/* Both lists are kept in order, wherever an id comes in. */
START_TEST(processes_by_id)
{
	static const uint32_t pids[] = {30, 10, 20, 50, 40};

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		ck_assert_ptr_null(targets_find_process(&t, pids[i]));
		ck_assert_uint_eq(targets_process(&t, pids[i])->known.pid, pids[i]);
	}
	ck_assert_uint_eq(t.processes.nr, ARRAY_SIZE(pids));
	for (uint32_t i = 0; i < ARRAY_SIZE(pids); i++) {
		const struct target_process *p = targets_find_process(&t, pids[i]);

		ck_assert_uint_eq(t.processes.data[i].known.pid, 10 * (i + 1));
		/* They are numbered as they came. */
		ck_assert_uint_eq(p->known.start, i + 1);
		ck_assert_ptr_eq(targets_process(&t, pids[i]), p);
	}
	ck_assert_uint_eq(t.processes.nr, ARRAY_SIZE(pids));
	for (uint32_t pid = 5; pid <= 55; pid += 10)
		ck_assert_ptr_null(targets_find_process(&t, pid));
}
END_TEST

START_TEST(threads_by_id)
{
	static const uint32_t tids[] = {31, 11, 21};

	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		const struct target_thread *thread = targets_thread(&t, 10, tids[i]);

		ck_assert_uint_eq(thread->tid, tids[i]);
		ck_assert_uint_eq(thread->pid, 10);
		ck_assert_int_eq(thread->stat_fd, -1);
		ck_assert_ptr_eq(targets_thread(&t, 10, tids[i]), thread);
	}
	ck_assert_uint_eq(t.threads.nr, ARRAY_SIZE(tids));
	for (uint32_t i = 0; i < ARRAY_SIZE(tids); i++) {
		ck_assert_uint_eq(t.threads.data[i].tid, 10 * i + 11);
		ck_assert_ptr_eq(targets_find_thread(&t, 10 * i + 11), &t.threads.data[i]);
		ck_assert_ptr_null(targets_find_thread(&t, 10 * i + 10));
		ck_assert_ptr_null(targets_find_thread(&t, 10 * i + 12));
	}
}
END_TEST

START_TEST(what_goes_leaves_the_others)
{
	int pipe_fds[2];

	for (uint32_t id = 1; id <= 4; id++) {
		targets_process(&t, id);
		targets_thread(&t, id, id);
	}
	targets_remove_process(&t, 2);
	targets_remove_process(&t, 2);
	targets_remove_process(&t, 9);
	ck_assert_uint_eq(t.processes.nr, 3);
	ck_assert_ptr_null(targets_find_process(&t, 2));
	for (uint32_t id = 1; id <= 4; id += id == 1 ? 2 : 1)
		ck_assert_uint_eq(targets_find_process(&t, id)->known.pid, id);
	ck_assert_int_eq(pipe(pipe_fds), 0);
	targets_find_thread(&t, 3)->stat_fd = pipe_fds[1];
	targets_remove_thread(&t, 3);
	targets_remove_thread(&t, 3);
	targets_remove_thread(&t, 9);
	ck_assert_uint_eq(t.threads.nr, 3);
	ck_assert_ptr_null(targets_find_thread(&t, 3));
	ck_assert_uint_eq(targets_find_thread(&t, 4)->pid, 4);
	/* Its file is closed: nobody can write to the pipe any more. */
	ck_assert_int_eq(read(pipe_fds[0], &(char){0}, 1), 0);
	close(pipe_fds[0]);
}
END_TEST

START_TEST(other_threads)
{
	targets_thread(&t, 10, 10);
	targets_thread(&t, 20, 20);
	targets_thread(&t, 20, 21);
	ck_assert(!targets_have_other_thread(&t, 10, 10));
	ck_assert(targets_have_other_thread(&t, 10, 11));
	ck_assert(targets_have_other_thread(&t, 20, 20));
	ck_assert(!targets_have_other_thread(&t, 30, 30));
}
END_TEST

/* After an exec, what /proc told is asked for anew. A user stays, unless the program may be
 * set-user-ID. */
START_TEST(an_exec)
{
	struct target_process *p = targets_process(&t, 1);

	for (uint32_t uid = 0; uid <= 1000; uid += 1000) {
		p->known.uid = uid;
		p->known.has_uid = true;
		p->is_read = p->needs_stop = true;
		p->is_in_exec = false;
		targets_exec(&t, p);
		ck_assert_int_eq(p->known.has_uid, uid != 0);
		ck_assert(!p->is_read);
		ck_assert(!p->needs_stop);
		ck_assert(p->is_in_exec);
	}
	ck_assert_uint_eq(p->known.nr_execs, 2);
	ck_assert_uint_eq(p->known.exec_pages, 2);
	ck_assert_uint_eq(p->known.start, 1);
}
END_TEST

/* What /proc tells of this very process. */
START_TEST(a_process_is_read_once)
{
	struct target_process *p = targets_process(&t, getpid());
	uint64_t here = (uintptr_t)&begin, stack = (uintptr_t)&p;
	struct stat exe;

	targets_read_process(&t, p, getpid());
	ck_assert(p->is_read);
	ck_assert(p->known.has_uid);
	ck_assert_uint_eq(p->known.uid, getuid());
	ck_assert_int_eq(stat("/proc/self/exe", &exe), 0);
	ck_assert_uint_eq(p->known.exe_dev, exe.st_dev);
	ck_assert_uint_eq(p->known.exe_ino, exe.st_ino);
	ck_assert_uint_le(p->known.start_code, here);
	ck_assert_uint_gt(p->known.end_code, here);
	ck_assert_uint_gt(p->known.start_stack, stack);
	p->known.exe_ino = 1;
	targets_read_process(&t, p, getpid());
	ck_assert_uint_eq(p->known.exe_ino, 1);
	targets_exec(&t, p);
	targets_read_process(&t, p, getpid());
	ck_assert_uint_eq(p->known.exe_ino, exe.st_ino);
}
END_TEST

START_TEST(a_name_is_read)
{
	struct target_thread *thread = targets_thread(&t, getpid(), gettid());

	ck_assert_int_eq(prctl(PR_SET_NAME, "fifteen bytes..."), 0);
	targets_read_comm(thread);
	ck_assert(thread->has_comm);
	ck_assert_str_eq(thread->comm, "fifteen bytes..");
	ck_assert_int_eq(prctl(PR_SET_NAME, "a\nb"), 0);
	targets_read_comm(thread);
	ck_assert_str_eq(thread->comm, "a\nb");
	thread->has_comm = false;
	thread->tid = UINT32_MAX;
	targets_read_comm(thread);
	ck_assert(!thread->has_comm);
}
END_TEST

/* Each page that is touched for the first time is a fault. */
START_TEST(faults_of_pages)
{
	const size_t nr = 64, page = sysconf(_SC_PAGESIZE);
	uint64_t before = targets_faults(&t, getpid());
	char *pages =
		mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(madvise(pages, nr * page, MADV_NOHUGEPAGE), 0);
	for (size_t i = 0; i < nr; i++)
		pages[i * page] = 1;
	ck_assert_uint_ge(targets_faults(&t, getpid()), before + nr);
	ck_assert_uint_eq(targets_faults(&t, UINT32_MAX), 0);
	munmap(pages, nr * page);
}
END_TEST

SUITE_MAIN_WITH("targets", begin, end, processes_by_id, threads_by_id, what_goes_leaves_the_others,
		other_threads, an_exec, a_process_is_read_once, a_name_is_read, faults_of_pages)
