// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/minmax.h"
#include "record/children/child.h"
#include "record/children/fd_message.h"
#include "record/shares/owner_queue.h"
#include "record/shares/owner_time.h"
#include "record/children/sandbox.h"
#include "record/children/worker_line.h"
#include "record/cfi/unwind_table.h"
#include "record/languages/interpreter_search.h"

/* As many as the line holds at most. */
#define REQUESTS_MAX WORKER_WAITING_MAX

_Static_assert(sizeof(struct found_interpreter) <= WORKER_OWN_BYTES, "a reply has room for it");

struct table_request table_request_make(uint32_t tag, const uint8_t *known)
{
	struct table_request request = {
		.tag = tag, .is_known = known != NULL, .cpu_max_us = TABLE_CPU_MAX_US};

	if (known)
		memcpy(request.known, known, sizeof(request.known));
	return request;
}

/* The table of the file @fd as a sealed memfd. -EALREADY: it has the hash @known. */
static int make_table(int fd, const uint8_t *known, int *out)
{
	_cleanup_(unwind_table_deinit) struct unwind_table table = {0};
	_cleanup_close_ int memfd = -1;
	int ret = unwind_table_build_unless(fd, known, &table);

	if (ret)
		return ret;
	memfd = memfd_create("unwind-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0)
		return -errno;
	ret = unwind_table_write(memfd, &table);
	if (!ret && fcntl(memfd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK))
		ret = -errno;
	if (!ret)
		*out = TAKE_FD(memfd);
	return ret;
}

/* A request that waits for its turn. */
struct waiting_request {
	struct table_request request;
	int fd; /* -1: the entry is free */
};

/* The recorder sends no more at a time. */
static struct waiting_request waiting[REQUESTS_MAX];

/* Does not touch the file: if its server does not answer, the recorder cannot tell which it is. */
static int add_request(struct owner_queue *queue, const struct table_request *request, int fd)
{
	struct queue_entry lost;
	uint32_t i = 0;

	while (i < REQUESTS_MAX && waiting[i].fd >= 0)
		i++;
	if (i == REQUESTS_MAX || fd < 0)
		return -EBADMSG;
	waiting[i] = (struct waiting_request){*request, fd};
	return owner_queue_add(queue, request->uid, i, &lost);
}

/*
 * What each user has used here. The recorder keeps such an account, too, but learns of a file's
 * time only with the answer, when it has sent more files of that user.
 */
static struct owner_time used = {.part = TABLE_TIME_PART, .max_ns = TABLE_TIME_MAX_NS};

/* Takes over what is in the socket, and waits for a request if there is none. */
static int receive_requests(int sock, struct owner_queue *queue)
{
	_cleanup_close_ int fd = -1;
	struct table_request request;
	int ret = 0;

	while (!ret) {
		ret = queue->waiting.nr
			      ? fd_message_receive_now(sock, &request, sizeof(request), &fd)
			      : fd_message_receive(sock, &request, sizeof(request), &fd);
		if (!ret)
			ret = add_request(queue, &request, fd);
		if (!ret)
			fd = -1;
	}
	return ret == -EAGAIN && queue->waiting.nr ? 0 : ret;
}

/* Lets SIGPROF end the process after @us microseconds of CPU time; 0: not. */
static void limit_time(uint64_t us)
{
	const struct itimerval value = {.it_value.tv_sec = us / 1000000,
					.it_value.tv_usec = us % 1000000};

	setitimer(ITIMER_PROF, &value, NULL);
}

/* CPU time that the file, which @owner has, may take, in microseconds. */
static uint64_t time_left_us(const struct table_request *request, uint32_t owner)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t left_ns = min_u64(owner_time_left(&used, request->uid, now_ns),
				   owner_time_left(&used, owner, now_ns));

	return owner ? min_u64(request->cpu_max_us, left_ns / 1000) : TABLE_CPU_MAX_US;
}

/*
 * The answer for what make_table returns. The errno of a read is whatever the file's server likes,
 * and the recorder takes some for words about the child or a user. With -EALREADY a server can lie,
 * as it can by showing the other file's bytes.
 */
static int status_of(int ret, bool is_known)
{
	switch (ret) {
	case 0:
	case -ENODATA:
	case -EFBIG:
	case -ENOMEM:
		return ret;
	case -EALREADY:
		return is_known ? ret : -ENOEXEC;
	default:
		return -ENOEXEC;
	}
}

/* Fills in the answer, and makes *@memfd the table, if there is one. */
static void work(const struct waiting_request *w, struct worker_reply *reply, int *memfd)
{
	const struct table_request *request = &w->request;
	uint64_t begin_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID), left_us;
	struct found_interpreter found;
	uint32_t owner;
	struct stat st;
	int ret;

	reply->status = -ENOEXEC;
	if (fstat(w->fd, &st))
		return;
	owner = request->is_made ? request->uid : st.st_uid;
	left_us = time_left_us(request, owner);
	reply->status = -EDQUOT;
	if (!left_us)
		return;
	limit_time(left_us);
	ret = make_table(w->fd, request->is_known ? request->known : NULL, memfd);
	reply->status = status_of(ret, request->is_known);
	interpreter_search(w->fd, &found);
	limit_time(0);
	memcpy(reply->own, &found, sizeof(found));
	malloc_trim(0);
	reply->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
	owner_time_charge(&used, owner, reply->cpu_ns, clock_monotonic_ns());
}

/* Between the two messages, the recorder knows which file it is that takes so long. */
static int answer_request(int sock, struct waiting_request *w)
{
	struct worker_reply reply = {.tag = w->request.tag, .status = WORKER_BEGINS};
	_cleanup_close_ int memfd = -1;
	int ret = fd_message_send(sock, &reply, sizeof(reply), -1);

	if (ret)
		return ret;
	work(w, &reply, &memfd);
	/* Closing asks the server, too. */
	cleanup_close(&w->fd);
	return fd_message_send(sock, &reply, sizeof(reply), memfd);
}

static int serve(int sock, struct owner_queue *queue)
{
	struct queue_entry next;
	int ret = receive_requests(sock, queue);

	if (ret || !owner_queue_take(queue, NULL, NULL, &next))
		return ret ? ret : -EINVAL;
	return answer_request(sock, &waiting[next.tag]);
}

void table_worker_run(int sock)
{
	struct owner_queue queue = {.max = REQUESTS_MAX};
	pid_t parent = getppid();
	sigset_t signals;

	for (size_t i = 0; i < REQUESTS_MAX; i++)
		waiting[i].fd = -1;
	if (child_begin(sock, "profrec-tables"))
		_exit(1);
	sigemptyset(&signals);
	sigaddset(&signals, SIGPROF);
	signal(SIGPROF, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	if (sandbox_enter(parent))
		_exit(1);
	while (!serve(STDIN_FILENO, &queue))
		;
	_exit(0);
}
