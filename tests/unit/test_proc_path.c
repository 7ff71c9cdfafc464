// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_path.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/proc/proc_maps.h"
#include "tests/unit/suite.h"

/* Says its id when the main thread has ended, and waits for the end. */
static void *outlive(void *out)
{
	pid_t tid = syscall(SYS_gettid);
	char path[PROC_PATH_SIZE], target;

	snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
	while (readlink(path, &target, 1) >= 0)
		usleep(1000);
	if (write(*(int *)out, &tid, sizeof(tid)) == sizeof(tid))
		pause();
	_exit(1);
}

/* Starts a process whose main thread has ended. Returns its id, and in *@tid the thread's. */
static pid_t start_leaderless(pid_t *tid)
{
	pthread_t thread;
	int pipes[2];
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pthread_create(&thread, NULL, outlive, &pipes[1]))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	ck_assert_int_eq(read(pipes[0], tid, sizeof(*tid)), sizeof(*tid));
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

/* Is the file at @path the one at @other? */
static bool is_same(const char *path, const char *other)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

START_TEST(main_thread)
{
	char path[PROC_PATH_SIZE], want[PROC_PATH_SIZE];

	ck_assert_uint_eq(proc_living_thread(getpid()), getpid());
	proc_path(getpid(), "exe", path);
	snprintf(want, sizeof(want), "/proc/%d/exe", getpid());
	ck_assert_str_eq(path, want);
	/* Nobody has this id. */
	ck_assert_uint_eq(proc_living_thread(INT32_MAX), INT32_MAX);
}
END_TEST

START_TEST(ended_main_thread)
{
	char path[PROC_PATH_SIZE], want[PROC_PATH_SIZE];
	pid_t tid, pid = start_leaderless(&tid);

	ck_assert_uint_eq(proc_living_thread(pid), tid);
	proc_path(pid, "exe", path);
	snprintf(want, sizeof(want), "/proc/%d/task/%d/exe", pid, tid);
	ck_assert_str_eq(path, want);
	ck_assert(is_same(path, "/proc/self/exe"));
	proc_path(pid, "root", path);
	ck_assert(is_same(path, "/"));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* Takes the first mapping of a file. */
static int take_file(void *map, const struct proc_map *found)
{
	if (!found->inode)
		return 0;
	*(struct proc_map *)map = *found;
	return 1;
}

START_TEST(map_files)
{
	pid_t tid, pid = start_leaderless(&tid);
	struct proc_map map = {0};
	char path[PROC_PATH_SIZE];
	char_vec scratch = {0};
	struct stat st;
	int fd;

	proc_path(pid, "maps", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	proc_maps_read(fd, &scratch, take_file, &map);
	vec_free(&scratch);
	close(fd);
	ck_assert_uint_ne(map.inode, 0);
	fd = proc_map_file_open(pid, tid, map.start, map.end, O_PATH);
	/* It needs CAP_CHECKPOINT_RESTORE. */
	if (fd != -EPERM) {
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(fstat(fd, &st), 0);
		ck_assert_uint_eq(st.st_ino, map.inode);
		close(fd);
	}
	/* A thread of another process does not stand for this one. */
	ck_assert_int_lt(proc_map_file_open(getpid(), tid, map.start, map.end, O_PATH), 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

SUITE_MAIN("proc_path", main_thread, ended_main_thread, map_files)
