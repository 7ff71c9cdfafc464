// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the map of a process is looked for, and what is copied of it. The test plays the files. */
#include "record/symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/safe_open.h"
#include "record/looks/proc_info.h"
#include "record/symbols/perf_map.h"
#include "tests/unit/suite.h"

/* What the process is called in its own root, and whose it is. */
#define NS_PID 77
#define UID    1000

#define TEXT "10000 100 function\n"

static struct {
	int maps[2];      /* of the process's root, and of the host; -1: none */
	uint32_t pids[8]; /* whose maps were looked for */
	size_t nr_pids;
	size_t nr_roots;         /* how often somebody's /tmp was opened */
	unsigned int nr_touches; /* until the process is given up; 0: it never is */
	bool host_is_given_up;
	bool grows; /* the map, while it is copied */
	size_t nr_sends;
} played;

static struct jit jit;
static struct address_space space;

int __wrap_perf_map_open(int dir_fd, uint32_t pid, uid_t uid, uint64_t since_realtime_ns);
int __wrap_safe_open_in_root(int root_fd, const char *path, int flags);
int __wrap_proc_identity_read(uint32_t pid, struct proc_identity *identity);
int __wrap_look_touch(struct look *look, look_culprit culprit);
ssize_t __real_sendfile64(int to, int from, off_t *off, size_t size);
ssize_t __wrap_sendfile64(int to, int from, off_t *off, size_t size);

ssize_t __wrap_sendfile64(int to, int from, off_t *off, size_t size)
{
	played.nr_sends++;
	if (!played.grows)
		return __real_sendfile64(to, from, off, size);
	ck_assert_uint_lt(played.nr_sends, 8);
	*off += (off_t)size;
	return (ssize_t)size;
}

int __wrap_perf_map_open(int dir_fd, uint32_t pid, uid_t uid, uint64_t since_realtime_ns)
{
	const int map = played.maps[pid != NS_PID];

	ck_assert_int_ge(dir_fd, 0);
	ck_assert_uint_eq(uid, UID);
	ck_assert_uint_eq(since_realtime_ns, jit.processes.data[0].since_realtime_ns);
	ck_assert_uint_lt(played.nr_pids, ARRAY_SIZE(played.pids));
	played.pids[played.nr_pids++] = pid;
	return map < 0 ? -ESTALE : fcntl(map, F_DUPFD_CLOEXEC, 0);
}

int __wrap_safe_open_in_root(int root_fd, const char *path, int flags)
{
	ck_assert_str_eq(path, "tmp");
	ck_assert_int_eq(flags, O_PATH | O_DIRECTORY);
	played.nr_roots++;
	return fcntl(root_fd, F_DUPFD_CLOEXEC, 0);
}

int __wrap_proc_identity_read(uint32_t pid, struct proc_identity *identity)
{
	ck_assert_uint_eq(pid, (uint32_t)getpid());
	*identity = (struct proc_identity){.ns_pid = NS_PID, .uid = UID};
	return 0;
}

int __wrap_look_touch(struct look *look, look_culprit culprit)
{
	(void)look;
	if (culprit == look_process(0))
		return played.host_is_given_up ? -EHOSTDOWN : 0;
	ck_assert_uint_eq(culprit, look_process(getpid()));
	return played.nr_touches && !--played.nr_touches ? -EHOSTDOWN : 0;
}

static int make_map(void)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, TEXT, strlen(TEXT), 0), strlen(TEXT));
	return fd;
}

/* The process is this one, so that it has a root. It is watched, and its /tmp is held. */
static void begin(void)
{
	memset(&played, 0, sizeof(played));
	played.maps[0] = played.maps[1] = -1;
	space = (struct address_space){.pid = getpid(), .generation = 5, .begin_ns = 1};
	jit_init(&jit, NULL);
	ck_assert_int_eq(jit_watch(&jit, &space), 0);
	ck_assert_uint_ne(jit.processes.data[0].dir, 0);
	ck_assert_uint_eq(played.nr_roots, 1);
	played.nr_roots = 0;
}

static void end(void)
{
	jit_deinit(&jit);
	cleanup_close(&played.maps[0]);
	cleanup_close(&played.maps[1]);
}

/* The number that the next descriptor gets: those that are open are the same as long as it is. */
static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

/* Looks for a map in these directories: of the process, NS_PID, or of the host. */
static void expect(int ret, size_t nr, const uint32_t *pids, size_t nr_roots)
{
	const int before = next_fd();
	int fd;

	played.nr_pids = played.nr_roots = 0;
	fd = jit_open_map(&jit, 5, 4096);
	ck_assert_int_eq(fd < 0 ? fd : 0, ret);
	ck_assert_uint_eq(played.nr_pids, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(played.pids[i], pids[i]);
	ck_assert_uint_eq(played.nr_roots, nr_roots);
	if (fd >= 0)
		close(fd);
	ck_assert_int_eq(next_fd(), before);
}

#define PIDS(...)                                                                                  \
	sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[])                                        \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

START_TEST(where_a_map_is_looked_for)
{
	const uint32_t pid = getpid();
	struct jit_process *process = &jit.processes.data[0];
	const uint64_t dir = process->dir;

	expect(-ESTALE, PIDS(NS_PID, pid), 1);
	played.maps[1] = make_map();
	expect(0, PIDS(NS_PID, pid), 1);
	played.host_is_given_up = true;
	expect(-ESTALE, PIDS(NS_PID), 0);
	played.maps[0] = make_map();
	expect(0, PIDS(NS_PID), 0);
	/* There was no room for its directory, which is opened each time. */
	process->dir = 0;
	expect(0, PIDS(NS_PID), 1);
	/* Its id may be another one's by now, but its directory is not. */
	process->ended = true;
	expect(-ENOENT, 0, NULL, 0);
	played.host_is_given_up = false;
	expect(0, PIDS(pid), 1);
	process->dir = dir;
	expect(0, PIDS(NS_PID), 0);
	/* A looker that has taken over does not know what the one before held. */
	process->dir = dir + (UINT64_C(1) << 32);
	expect(0, PIDS(pid), 1);
	process->dir = dir + 1;
	expect(0, PIDS(pid), 1);
	process->dir = dir + 256 + 1;
	expect(0, PIDS(pid), 1);
	process->dir = dir;
}
END_TEST

/* From its end on, the map itself is held, whoever removes it. */
START_TEST(maps_of_processes_that_ended)
{
	played.maps[0] = make_map();
	jit_end(&jit, &space, 0);
	ck_assert_uint_eq(played.nr_pids, 1);
	ck_assert_uint_eq(jit.processes.data[0].dir, 0);
	ck_assert_uint_ne(jit.processes.data[0].map, 0);
	cleanup_close(&played.maps[0]);
	played.maps[0] = -1;
	expect(0, 0, NULL, 0);
	ck_assert(jit_has_map(&jit, &space));
	jit_end(&jit, &space, 0);
	expect(0, 0, NULL, 0);
	jit_end(&jit, NULL, 0);
}
END_TEST

static void expect_copy(uint64_t max_bytes, int ret)
{
	char text[64] = "";
	int fd = jit_open_map(&jit, 5, max_bytes);

	if (ret) {
		ck_assert_int_eq(fd, ret);
		return;
	}
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, text, sizeof(text), 0), strlen(TEXT));
	ck_assert_str_eq(text, TEXT);
	close(fd);
}

START_TEST(copies)
{
	played.maps[0] = make_map();
	expect_copy(strlen(TEXT), 0);
	expect_copy(strlen(TEXT) - 1, -EFBIG);
	expect_copy(4096, 0);
	/* The process is touched once before it is looked for, and again for each part. */
	played.nr_touches = 1;
	expect_copy(4096, -EHOSTDOWN);
	played.nr_touches = 2;
	expect_copy(4096, -EHOSTDOWN);
	ck_assert_int_eq(jit_open_map(&jit, 6, 4096), -ENOENT);
}
END_TEST

/* However much a process writes meanwhile, no more is copied than is wanted, but for a part. */
START_TEST(maps_that_grow)
{
	const uint64_t part = 1 << 20;

	played.maps[0] = make_map();
	played.grows = true;
	for (uint64_t nr = 1; nr <= 3; nr++) {
		played.nr_sends = 0;
		close(jit_open_map(&jit, 5, nr * part));
		ck_assert_uint_eq(played.nr_sends, nr);
	}
	played.nr_sends = 0;
	close(jit_open_map(&jit, 5, part + 1));
	ck_assert_uint_eq(played.nr_sends, 2);
}
END_TEST

/* A map that was written after the exec has other code. */
START_TEST(maps_of_the_next_program)
{
	const uint64_t exec_ns = 1000 * NS_PER_S + 500;
	struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 500}, {.tv_sec = 1000}};

	played.maps[0] = make_map();
	jit_end(&jit, &space, exec_ns);
	for (long ns = 499; ns <= 501; ns++) {
		times[1].tv_nsec = ns;
		ck_assert_int_eq(futimens(played.maps[0], times), 0);
		expect_copy(4096, ns <= 500 ? 0 : -ESTALE);
	}
	times[1] = (struct timespec){.tv_sec = 1001};
	ck_assert_int_eq(futimens(played.maps[0], times), 0);
	expect_copy(4096, -ESTALE);
	ck_assert(!jit_has_map(&jit, &space));
	jit.processes.data[0].until_realtime_ns = 0;
	expect_copy(4096, 0);
}
END_TEST

SUITE_MAIN_WITH("jit_maps", begin, end, where_a_map_is_looked_for, maps_of_processes_that_ended,
		copies, maps_that_grow, maps_of_the_next_program)
