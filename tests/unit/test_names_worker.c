// SPDX-License-Identifier: GPL-2.0-or-later
/* The requests that the process for names obeys. The test plays all that is around (--wrap). */
#include "record/symbols/names_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "common/clock.h"
#include "record/symbols/names_answer.h"
#include "record/children/child.h"
#include "record/children/fd_message.h"
#include "record/children/sandbox.h"
#include "record/children/worker_line.h"
#include "tests/unit/suite.h"

#define SOCK     77
#define OWN_NICE 3
#define USED_NS  (2 * NS_PER_S)
#define NOW_NS   (100 * NS_PER_S)
#define RAISE    100 /* an order of the test: a signal comes */

static struct {
	struct names_request requests[16];
	int fds[16];
	size_t nr_requests, at;
	struct worker_reply replies[8];
	bool have_memory[8];
	size_t nr_replies;
	int begin_error, sandbox_error;
	int exit_status;
	/* Of the files that were looked up. */
	ino_t looked_up;
	uint64_t offsets[2];
	size_t nr_looked_up, nr_compared;
	size_t changed_at; /* the file is another one from this comparison on; 0: never */
	bool has_build_id;
	int answer_error;
	/* Timers that were set, and the nice value. */
	struct itimerval timers[3], seen[3]; /* now, and as files were looked up */
	size_t nr_timers;
	int nice, seen_nice;
	size_t nr_nice;
	struct rlimit limit;
	long io_class;
} played;

static jmp_buf end_of_worker;

int __wrap_child_begin(int sock, const char *name);
int __wrap_sandbox_enter(pid_t parent);
void __wrap__exit(int status) __attribute__((noreturn));
int __wrap_fd_message_receive(int sock, void *buf, size_t len, int *fd);
int __wrap_fd_message_send(int sock, const void *buf, size_t len, int fd);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_names_answer_make(int fd, const uint64_t *offsets, size_t nr, int *memory);
bool __wrap_file_identity_is_of_fd(const struct file_identity *identity, int fd);
int __wrap_build_id_from_fd(int fd, struct build_id *id);
int __wrap_setitimer(int which, const struct itimerval *value, struct itimerval *old);
int __wrap_setpriority(int which, id_t who, int nice_value);
int __wrap_getpriority(int which, id_t who);
int __wrap_setrlimit64(int which, const struct rlimit *limit);
long __wrap_syscall(long number, ...);

int __wrap_child_begin(int sock, const char *name)
{
	ck_assert_int_eq(sock, SOCK);
	ck_assert_str_eq(name, "profrec-names");
	return played.begin_error;
}

int __wrap_sandbox_enter(pid_t parent)
{
	ck_assert_int_eq(parent, getppid());
	/* What takes a right is over. */
	ck_assert_uint_eq(played.limit.rlim_cur, 20 - OWN_NICE);
	return played.sandbox_error;
}

void __wrap__exit(int status)
{
	played.exit_status = status;
	longjmp(end_of_worker, 1);
}

int __wrap_fd_message_receive(int sock, void *buf, size_t len, int *fd)
{
	ck_assert_int_eq(sock, STDIN_FILENO);
	ck_assert_uint_eq(len, sizeof(struct names_request));
	if (played.at < played.nr_requests && played.requests[played.at].order == RAISE) {
		raise(SIGALRM);
		played.at++;
	}
	if (played.at == played.nr_requests)
		return -ENOTCONN;
	memcpy(buf, &played.requests[played.at], len);
	*fd = played.fds[played.at++];
	return 0;
}

int __wrap_fd_message_send(int sock, const void *buf, size_t len, int fd)
{
	ck_assert_int_eq(sock, STDIN_FILENO);
	ck_assert_uint_eq(len, sizeof(struct worker_reply));
	played.have_memory[played.nr_replies] = fd >= 0 && fcntl(fd, F_GETFD) >= 0;
	memcpy(&played.replies[played.nr_replies++], buf, len);
	return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	uint64_t ns = clock == CLOCK_PROCESS_CPUTIME_ID ? USED_NS : NOW_NS;

	*ts = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
	return 0;
}

static ino_t inode_of(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	return st.st_ino;
}

int __wrap_names_answer_make(int fd, const uint64_t *offsets, size_t nr, int *memory)
{
	ck_assert_uint_le(nr, ARRAY_SIZE(played.offsets));
	played.looked_up = inode_of(fd);
	played.nr_looked_up++;
	memcpy(played.offsets, offsets, nr * sizeof(*offsets));
	memcpy(played.seen, played.timers, sizeof(played.seen));
	played.seen_nice = played.nice;
	*memory = memfd_create("answer", MFD_CLOEXEC);
	return played.answer_error;
}

static bool is_changed(void)
{
	return ++played.nr_compared >= played.changed_at && played.changed_at;
}

bool __wrap_file_identity_is_of_fd(const struct file_identity *identity, int fd)
{
	(void)identity, (void)fd;
	ck_assert(!played.has_build_id);
	return !is_changed();
}

int __wrap_build_id_from_fd(int fd, struct build_id *id)
{
	(void)fd;
	ck_assert(played.has_build_id);
	*id = (struct build_id){.size = 20, .bytes = {is_changed() ? 2 : 1}};
	return 0;
}

int __wrap_setitimer(int which, const struct itimerval *value, struct itimerval *old)
{
	(void)old;
	ck_assert_int_lt(which, 3);
	if (value->it_value.tv_sec || value->it_value.tv_usec)
		played.nr_timers++;
	played.timers[which] = *value;
	return 0;
}

int __wrap_setpriority(int which, id_t who, int nice_value)
{
	ck_assert_int_eq(which, PRIO_PROCESS);
	ck_assert_uint_eq(who, 0);
	played.nice = nice_value;
	played.nr_nice++;
	return 0;
}

int __wrap_getpriority(int which, id_t who)
{
	(void)which, (void)who;
	return OWN_NICE;
}

int __wrap_setrlimit64(int which, const struct rlimit *limit)
{
	ck_assert_int_eq(which, RLIMIT_NICE);
	ck_assert_uint_eq(limit->rlim_max, limit->rlim_cur);
	played.limit = *limit;
	return 0;
}

long __wrap_syscall(long number, ...)
{
	va_list args;

	ck_assert_int_eq(number, SYS_ioprio_set);
	va_start(args, number);
	ck_assert_int_eq(va_arg(args, int), 1);
	ck_assert_int_eq(va_arg(args, int), 0);
	played.io_class = va_arg(args, int);
	va_end(args);
	return 0;
}

static void request(uint32_t order, uint32_t slot, int fd)
{
	size_t nr = played.nr_requests++;

	played.requests[nr] = (struct names_request){.order = order,
						     .slot = slot,
						     .nr = order == NAMES_ASK ? 2 : 0,
						     .cpu_max_ns = USED_NS + 3 * NS_PER_S / 2,
						     .urgent_ns = NOW_NS};
	played.fds[nr] = fd;
}

static int memory_of(size_t bytes)
{
	const uint64_t offsets[2] = {0x10, 0x20};
	int fd = memfd_create("offsets", MFD_CLOEXEC);

	ck_assert_int_eq(write(fd, offsets, bytes), (ssize_t)bytes);
	return fd;
}

static void ask(uint32_t slot)
{
	request(NAMES_ASK, slot, memory_of(16));
}

static int run(void)
{
	played.exit_status = -1;
	if (!setjmp(end_of_worker))
		names_worker_run(SOCK);
	return played.exit_status;
}

/* Holds a new file in that slot. Returns its inode. */
static ino_t hold(uint32_t slot)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	ino_t inode = inode_of(fd);

	request(NAMES_HOLD, NAMES_INBOX, fd);
	if (slot != NAMES_INBOX)
		request(NAMES_KEEP, slot, -1);
	return inode;
}

START_TEST(files_are_held)
{
	ino_t inode = hold(NAMES_FILES_MAX - 1);

	ask(NAMES_FILES_MAX - 1);
	ask(0);
	ask(NAMES_INBOX); /* its file has gone to the slot */
	request(NAMES_DROP, NAMES_FILES_MAX - 1, -1);
	ask(NAMES_FILES_MAX - 1);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(played.nr_replies, 4);
	ck_assert_int_eq(played.replies[0].status, 0);
	ck_assert_uint_eq(played.replies[0].tag, NAMES_FILES_MAX - 1);
	ck_assert_uint_eq(played.replies[0].cpu_ns, USED_NS);
	ck_assert(played.have_memory[0]);
	ck_assert_uint_eq(played.looked_up, inode);
	ck_assert_uint_eq(played.offsets[0], 0x10);
	ck_assert_uint_eq(played.offsets[1], 0x20);
	ck_assert_uint_eq(played.nr_compared, 2);
	for (size_t i = 1; i < 4; i++) {
		ck_assert_int_eq(played.replies[i].status, -EBADF);
		ck_assert(!played.have_memory[i]);
	}
	ck_assert_uint_eq(played.nr_looked_up, 1);
}
END_TEST

START_TEST(a_file_in_the_place_of_another)
{
	int first;
	ino_t inode;

	hold(3);
	first = played.fds[0];
	inode = hold(3);
	hold(NAMES_INBOX);
	ask(3);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(played.looked_up, inode);
	ck_assert_int_eq(fcntl(first, F_GETFD), -1);
	ck_assert_int_ge(fcntl(played.fds[4], F_GETFD), 0);
}
END_TEST

/* The other end is no longer heeded after a request that makes no sense. */
START_TEST(requests_that_make_no_sense)
{
	hold(1);
	request(NAMES_ASK, 1, memory_of(15));
	request(NAMES_ASK, 1, memory_of(16));
	played.requests[3].nr = NAMES_OFFSETS_MAX + 1;
	ask(NAMES_INBOX + 1);
	ask(1);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(played.nr_replies, 2);
	ck_assert_int_eq(played.replies[0].status, -EBADMSG);
	ck_assert_int_eq(played.replies[1].status, -EBADF);
	ck_assert_uint_eq(played.nr_looked_up, 0);
}
END_TEST

/* Before it is looked up, or meanwhile. */
START_TEST(files_that_somebody_has_written_to)
{
	static const size_t nr_looked_up[] = {1, 0, 1};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(nr_looked_up); i++) {
		size_t changed_at = i % 3;

		memset(&played, 0, sizeof(played));
		played.has_build_id = i >= 3;
		played.changed_at = changed_at;
		hold(1);
		ask(1);
		if (played.has_build_id)
			played.requests[2].build_id = (struct build_id){.size = 20, .bytes = {1}};
		ck_assert_int_eq(run(), 0);
		ck_assert_int_eq(played.replies[0].status, changed_at ? -ESTALE : 0);
		ck_assert_uint_eq(played.have_memory[0], !changed_at);
		ck_assert_uint_eq(played.nr_looked_up, nr_looked_up[changed_at]);
	}
	memset(&played, 0, sizeof(played));
	played.answer_error = -ENOEXEC;
	hold(1);
	ask(1);
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(played.replies[0].status, -ENOEXEC);
	ck_assert_uint_eq(played.nr_compared, 1);
}
END_TEST

static void expect_timer(int which, long s, long us)
{
	ck_assert_int_eq(played.timers[which].it_value.tv_sec, s);
	ck_assert_int_eq(played.timers[which].it_value.tv_usec, us);
}

START_TEST(time_of_a_request)
{
	hold(1);
	ask(1);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(played.nr_timers, 1); /* the recorder waits already */
	ck_assert_uint_eq(played.nr_nice, 1);
	ck_assert_int_eq(played.nice, OWN_NICE);
	expect_timer(ITIMER_PROF, 0, 0);
	ck_assert_int_eq(played.io_class, 2 << 13 | 7);
	/* There is time until the recorder waits. */
	memset(&played, 0, sizeof(played));
	hold(1);
	ask(1);
	played.requests[2].urgent_ns = NOW_NS + 1;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(played.nr_timers, 2);
	ck_assert_uint_eq(played.nr_nice, 2);
	ck_assert_int_eq(played.nice, OWN_NICE);
	expect_timer(ITIMER_PROF, 0, 0);
	expect_timer(ITIMER_REAL, 0, 0);
	/* There is none at all. */
	memset(&played, 0, sizeof(played));
	hold(1);
	ask(1);
	played.requests[2].cpu_max_ns = USED_NS;
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(played.replies[0].status, -ETIME);
	ck_assert_uint_eq(played.nr_timers, 0);
}
END_TEST

/* The timers while a file is looked up. A microsecond more makes sure that none is 0. */
START_TEST(timers_of_a_request)
{
	hold(1);
	ask(1);
	played.requests[2].urgent_ns = NOW_NS + 5 * NS_PER_S + 7000;
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(played.seen_nice, OWN_NICE + 5);
	ck_assert_int_eq(played.seen[ITIMER_PROF].it_value.tv_sec, 1);
	ck_assert_int_eq(played.seen[ITIMER_PROF].it_value.tv_usec, 500001);
	ck_assert_int_eq(played.seen[ITIMER_REAL].it_value.tv_sec, 5);
	ck_assert_int_eq(played.seen[ITIMER_REAL].it_value.tv_usec, 8);
	ck_assert_int_eq(played.seen[ITIMER_REAL].it_interval.tv_usec, 0);
}
END_TEST

/* Its signals may have been blocked or ignored by whoever started the recorder. */
START_TEST(signals)
{
	struct sigaction action;
	sigset_t all, blocked;

	sigfillset(&all);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &all, NULL), 0);
	signal(SIGPROF, SIG_IGN);
	request(RAISE, 0, -1);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(played.nr_nice, 1);
	ck_assert_int_eq(played.nice, OWN_NICE);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &blocked), 0);
	ck_assert(!sigismember(&blocked, SIGALRM) && !sigismember(&blocked, SIGPROF));
	ck_assert(sigismember(&blocked, SIGTERM));
	ck_assert_int_eq(sigaction(SIGPROF, NULL, &action), 0);
	ck_assert(action.sa_handler == SIG_DFL);
}
END_TEST

START_TEST(beginnings_that_fail)
{
	hold(1);
	played.begin_error = -EIO;
	ck_assert_int_eq(run(), 1);
	ck_assert_uint_eq(played.at, 0);
	played.begin_error = 0;
	played.sandbox_error = -EPERM;
	ck_assert_int_eq(run(), 1);
	ck_assert_uint_eq(played.at, 0);
}
END_TEST

SUITE_MAIN("names_worker", files_are_held, a_file_in_the_place_of_another,
	   requests_that_make_no_sense, files_that_somebody_has_written_to, time_of_a_request,
	   timers_of_a_request, signals, beginnings_that_fail)
