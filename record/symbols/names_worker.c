// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/names_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "record/symbols/names_answer.h"
#include "record/children/child.h"
#include "record/children/fd_message.h"
#include "record/children/sandbox.h"

/*
 * While nobody waits, the child is nicer than the recorder by this much: it gets a third of what
 * others get. At the lowest priority it would get nothing on a busy host, not even the moment in
 * which to raise its priority again.
 */
#define NICE_BY 5

/* RLIMIT_NICE stands for the nice value that is this less the limit, see getrlimit(2). */
#define NICE_OF_NO_LIMIT 20

/* Linux's include/uapi/linux/ioprio.h, which older headers lack. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_BE_LOWEST   (2 << 13 | 7)

/*
 * The memory of a file is used again for the next one, up to KEPT_BYTES, because getting it from
 * the kernel would take a third of the time. malloc takes at most 32 MiB for BLOCK_BYTES.
 */
#define BLOCK_BYTES (32 << 20)
#define KEPT_BYTES  (64 << 20)

/* The files, by slot; -1: none. */
static int files[NAMES_FILES_MAX + 1];

/* The recorder's own nice value, which the user chose. */
static int recorder_nice;

/* The recorder waits: runs as it does from now on. Runs as a signal handler. */
static void hurry(int number)
{
	(void)number;
	setpriority(PRIO_PROCESS, 0, recorder_nice);
}

/* Lets SIGALRM hurry this process up, and SIGPROF end it. */
static void watch_time(void)
{
	const struct sigaction action = {.sa_handler = hurry, .sa_flags = SA_RESTART};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	sigaddset(&signals, SIGPROF);
	sigaction(SIGALRM, &action, NULL);
	signal(SIGPROF, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/*
 * Requests are looked up behind others. Before the privileges go, sees to it that this can be taken
 * back.
 */
static void prepare_priority(void)
{
	rlim_t limit;

	recorder_nice = getpriority(PRIO_PROCESS, 0);
	limit = NICE_OF_NO_LIMIT - recorder_nice;
	setrlimit(RLIMIT_NICE, &(struct rlimit){limit, limit});
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_BE_LOWEST);
}

/* A timer that goes off once, after @ns, which must not be 0. */
static void set_timer(int which, uint64_t ns)
{
	const struct itimerval value = {
		.it_value.tv_sec = ns / NS_PER_S,
		.it_value.tv_usec = ns % NS_PER_S / 1000 + 1,
	};

	setitimer(which, &value, NULL);
}

static void stop_timer(int which)
{
	const struct itimerval none = {0};

	setitimer(which, &none, NULL);
}

/* Begins the time of a request. Returns 0, or -ETIME when it has none. */
static int begin_time(const struct names_request *request)
{
	uint64_t used_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID), now = clock_monotonic_ns();

	if (used_ns >= request->cpu_max_ns)
		return -ETIME;
	set_timer(ITIMER_PROF, request->cpu_max_ns - used_ns);
	if (request->urgent_ns <= now)
		return 0;
	setpriority(PRIO_PROCESS, 0, recorder_nice + NICE_BY);
	set_timer(ITIMER_REAL, request->urgent_ns - now);
	return 0;
}

static void end_time(void)
{
	stop_timer(ITIMER_REAL);
	stop_timer(ITIMER_PROF);
	/* Files that come take little time, and must not fill the socket. */
	hurry(0);
}

/*
 * Is the file what it was when it was mapped? Whoever deletes a file without a build-id changes it.
 */
static bool is_as_mapped(int fd, const struct names_request *request)
{
	struct build_id id = {0};

	if (build_id_is_none(&request->build_id))
		return file_identity_is_of_fd(&request->identity, fd);
	return !build_id_from_fd(fd, &id) && build_id_equal(&id, &request->build_id);
}

/* The answer as a sealed memfd, unless somebody wrote to the file before that or meanwhile. */
static int look_up_mapped(const struct names_request *request, const uint64_t *offsets, int *out)
{
	_cleanup_close_ int memfd = -1;
	int fd = files[request->slot];
	int ret = is_as_mapped(fd, request) ? 0 : -ESTALE;

	if (!ret)
		ret = names_answer_make(fd, offsets, request->nr, &memfd);
	if (!ret && !is_as_mapped(fd, request))
		ret = -ESTALE;
	if (!ret)
		*out = TAKE_FD(memfd);
	return ret;
}

/* @memory has the offsets. */
static int make_answer(const struct names_request *request, int memory, int *out)
{
	_cleanup_free_ uint64_t *offsets = NULL;
	size_t size = request->nr * sizeof(*offsets);

	if (request->nr > NAMES_OFFSETS_MAX || files[request->slot] < 0)
		return -EBADF;
	offsets = malloc(size + 1);
	if (!offsets)
		return -ENOMEM;
	if (io_pread(memory, offsets, size, 0) != (ssize_t)size)
		return -EBADMSG;
	return look_up_mapped(request, offsets, out);
}

static int reply_to(int sock, const struct names_request *request, int memory)
{
	struct worker_reply reply = {.tag = request->slot};
	_cleanup_close_ int memfd = -1;

	reply.status = begin_time(request);
	if (!reply.status)
		reply.status = make_answer(request, memory, &memfd);
	end_time();
	reply.cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	return fd_message_send(sock, &reply, sizeof(reply), memfd);
}

static void set_file(uint32_t slot, int fd)
{
	cleanup_close(&files[slot]);
	files[slot] = fd;
}

static int obey_request(int sock)
{
	_cleanup_close_ int fd = -1;
	struct names_request request;
	int ret = fd_message_receive(sock, &request, sizeof(request), &fd);

	if (ret)
		return ret;
	if (request.slot > NAMES_INBOX)
		return -EBADMSG;
	switch ((enum names_order)request.order) {
	case NAMES_HOLD:
		set_file(NAMES_INBOX, TAKE_FD(fd));
		break;
	case NAMES_KEEP:
		set_file(request.slot, TAKE_FD(files[NAMES_INBOX]));
		break;
	case NAMES_DROP:
		set_file(request.slot, -1);
		break;
	case NAMES_ASK:
		return reply_to(sock, &request, fd);
	}
	return 0;
}

void names_worker_run(int sock)
{
	pid_t parent = getppid();

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		files[i] = -1;
	if (child_begin(sock, "profrec-names"))
		_exit(1);
	mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	watch_time();
	prepare_priority();
	if (sandbox_enter(parent))
		_exit(1);
	while (!obey_request(STDIN_FILENO))
		;
	_exit(0);
}
