// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/system/looker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/readfile.h"
#include "record/system/child.h"
#include "record/system/fd_message.h"
#include "record/system/privilege.h"

/* A touch that takes longer has no answer, unless the looker only waits for a processor. */
#define TOUCH_MS 500

/* A looker that waits for a processor gets so many times TOUCH_MS. */
#define STARVED_MAX 20

/* A look may not take longer, however many touches it has. */
#define LOOK_MAX_NS (4 * NS_PER_S)

/* An answer goes out with what is there after so long. */
#define LOOK_LONG_NS (NS_PER_S / 2)

/* A touch that blocks for so long counts as slow. */
#define SLOW_NS (50 * NS_PER_MS)

/* A culprit is given up after so much time of slow touches, and first for so long. */
#define SLOW_MAX_NS    NS_PER_S
#define GIVE_UP_NS     (10 * NS_PER_S)
#define GIVE_UP_MAX_NS (3600 * NS_PER_S)

/*
 * The recorder has so much time for slow touches in all, and gets this part of the time that
 * passes: 1 / this. So culprits without number cannot hold it up either.
 */
#define PATIENCE_NS    (4 * NS_PER_S)
#define PATIENCE_SHARE 100

/* So many lookers may be left behind at a time. Each holds memory of the recorder. */
#define LEFT_MAX 8

#define CULPRITS_MAX 64

/* What the recorder and the looker both see. Each side writes its own members. */
struct look_watch {
	/* The looker: */
	uint64_t nr_touches;
	look_culprit culprit; /* of the latest touch */
	/* The recorder: */
	struct {
		look_culprit culprit;
		uint64_t until_ns;
	} given_up[CULPRITS_MAX];
};

struct culprit {
	look_culprit culprit;
	uint64_t slow_ns;    /* since it was given up */
	uint64_t give_up_ns; /* how long it was given up the last time; 0: never */
};

struct looker {
	pid_t pid;
	int sock; /* to the child; -1: there is none */
	struct look_watch *watch;
	struct culprit culprits[CULPRITS_MAX];
	size_t nr_culprits;
	int64_t patience_ns;
	uint64_t patience_at_ns; /* when it was right */
	struct lost_children left;
	uint64_t nr_given_up;
	uint64_t cpu_ns;      /* of all looks */
	uint32_t last_number; /* of looker_next_number */
};

struct question {
	look_fn fn;
	char bytes[LOOK_QUESTION_MAX];
};

struct answer {
	int32_t result;
	uint32_t nr_given_up; /* touches that were not made */
	look_culprit slowest; /* 0: no touch was slow */
	uint64_t slow_ns;
	uint64_t cpu_ns;
	char bytes[LOOK_ANSWER_MAX];
};

/* Of the looker: the touch that goes on, and the look's slowest. */
static struct {
	uint64_t begin_ns;
	uint64_t not_blocked_ns; /* at its beginning or before */
	struct answer answer;
} touch;

/*
 * How long this process ran or waited for a processor since its beginning; 0 where the kernel does
 * not count that.
 */
static uint64_t not_blocked_ns(void)
{
	unsigned long long ran_ns, waited_ns;
	char text[128];
	static int fd = -1;
	ssize_t n;

	if (fd < 0)
		fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	return sscanf(text, "%llu %llu", &ran_ns, &waited_ns) == 2 ? ran_ns + waited_ns : 0;
}

/* Notes the touch if it was slow. Time without a processor is not the culprit's. */
static void end_touch(const struct look *look)
{
	uint64_t now = clock_monotonic_ns(), took_ns = now - touch.begin_ns, other_ns;

	touch.begin_ns = now;
	if (took_ns < SLOW_NS)
		return;
	other_ns = not_blocked_ns() - touch.not_blocked_ns;
	touch.not_blocked_ns += other_ns;
	if (took_ns < other_ns + SLOW_NS || took_ns - other_ns <= touch.answer.slow_ns)
		return;
	touch.answer.slow_ns = took_ns - other_ns;
	touch.answer.slowest = look->watch->culprit;
}

int look_touch(struct look *look, look_culprit culprit)
{
	struct look_watch *watch = look ? look->watch : NULL;

	if (!watch)
		return 0;
	end_touch(look);
	for (size_t i = 0; i < CULPRITS_MAX && watch->given_up[i].culprit; i++) {
		if (watch->given_up[i].culprit != culprit ||
		    watch->given_up[i].until_ns <= touch.begin_ns)
			continue;
		touch.answer.nr_given_up++;
		return -EHOSTDOWN;
	}
	__atomic_store_n(&watch->culprit, culprit, __ATOMIC_RELAXED);
	__atomic_store_n(&watch->nr_touches, watch->nr_touches + 1, __ATOMIC_RELAXED);
	return 0;
}

bool look_is_long(const struct look *look)
{
	return look->watch && clock_monotonic_ns() - look->begin_ns > LOOK_LONG_NS;
}

bool look_answer_append(struct look *look, const void *bytes, size_t len)
{
	if (len > sizeof(look->answer) - look->nr_answer)
		return false;
	/* Nothing may be copied from NULL, not even 0 bytes. */
	if (len)
		memcpy(look->answer + look->nr_answer, bytes, len);
	look->nr_answer += len;
	return true;
}

/* In the looker. Returns 0, or a negative errno when nobody asks any more. */
static int answer_question(int sock, struct look_watch *watch)
{
	static struct question question;
	static struct look look;
	_cleanup_close_ int fd = -1;
	size_t len = sizeof(question);
	uint64_t cpu_ns;
	int ret = fd_message_receive_some(sock, &question, &len, &fd);

	if (ret || len < offsetof(struct question, bytes))
		return ret ? ret : -EBADMSG;
	look.question = question.bytes;
	look.nr_question = len - offsetof(struct question, bytes);
	look.fd = fd;
	look.nr_answer = 0;
	look.answer_fd = -1;
	look.watch = watch;
	look.begin_ns = touch.begin_ns = clock_monotonic_ns();
	touch.not_blocked_ns = not_blocked_ns();
	cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	memset(&touch.answer, 0, offsetof(struct answer, bytes));
	touch.answer.result = question.fn(&look);
	end_touch(&look);
	touch.answer.cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	memcpy(touch.answer.bytes, look.answer, look.nr_answer);
	ret = fd_message_send(sock, &touch.answer, offsetof(struct answer, bytes) + look.nr_answer,
			      look.answer_fd);
	cleanup_close(&look.answer_fd);
	return ret;
}

static void __attribute__((noreturn)) run_child(int sock, struct look_watch *watch, pid_t parent)
{
	const struct privilege_need needs[] = {
		/* To read the mappings of other users' processes. */
		{CAP_SYS_PTRACE, NULL, NULL},
		/* To read mapped files that only their users may read. */
		{CAP_DAC_READ_SEARCH, NULL, NULL},
		/* To open /proc/PID/map_files. */
		{CAP_CHECKPOINT_RESTORE, NULL, NULL},
	};

	if (child_begin(sock, "profrec-looks") ||
	    privilege_drop(needs, sizeof(needs) / sizeof(needs[0]), NULL) || child_die_with(parent))
		_exit(1);
	while (!answer_question(STDIN_FILENO, watch))
		;
	_exit(0);
}

static int start_child(struct looker *l)
{
	pid_t parent = getpid();
	int socks[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	l->pid = fork();
	if (!l->pid)
		run_child(socks[1], l->watch, parent);
	ret = l->pid < 0 ? -errno : 0;
	close(socks[1]);
	l->sock = socks[0];
	if (ret) {
		close(l->sock);
		l->sock = -1;
	}
	return ret;
}

static void leave_child(struct looker *l)
{
	if (l->sock < 0)
		return;
	close(l->sock);
	l->sock = -1;
	child_end(l->pid, &l->left);
}

int looker_start(struct looker **looker, struct err *err)
{
	struct looker *l = calloc(1, sizeof(*l));
	int ret = -ENOMEM;

	if (l) {
		l->sock = -1;
		l->patience_ns = PATIENCE_NS;
		l->patience_at_ns = clock_monotonic_ns();
		l->watch = mmap(NULL, sizeof(*l->watch), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		ret = l->watch == MAP_FAILED ? -errno : start_child(l);
	}
	if (ret) {
		looker_destroy(l);
		return err_set(err, ret, "failed to start the looker: %s", strerror(-ret));
	}
	*looker = l;
	return 0;
}

static struct culprit *find_culprit(struct looker *l, look_culprit culprit)
{
	size_t i;

	for (i = 0; i < l->nr_culprits; i++)
		if (l->culprits[i].culprit == culprit)
			return &l->culprits[i];
	/* One that was given up shortly, long ago, would be best. Any will do. */
	if (l->nr_culprits < CULPRITS_MAX)
		l->nr_culprits++;
	else
		i = (size_t)random() % CULPRITS_MAX;
	l->culprits[i] = (struct culprit){.culprit = culprit};
	l->watch->given_up[i].until_ns = 0;
	l->watch->given_up[i].culprit = culprit;
	return &l->culprits[i];
}

static void give_up(struct looker *l, struct culprit *c)
{
	c->give_up_ns = c->give_up_ns ? c->give_up_ns * 4 : GIVE_UP_NS;
	if (c->give_up_ns > GIVE_UP_MAX_NS)
		c->give_up_ns = GIVE_UP_MAX_NS;
	c->slow_ns = 0;
	l->watch->given_up[c - l->culprits].until_ns = clock_monotonic_ns() + c->give_up_ns;
}

void looker_blame(struct looker *l, look_culprit culprit)
{
	if (l)
		give_up(l, find_culprit(l, culprit));
}

static void charge_slow(struct looker *l, look_culprit culprit, uint64_t ns)
{
	struct culprit *c = find_culprit(l, culprit);

	l->patience_ns -= (int64_t)ns;
	c->slow_ns += ns;
	if (c->slow_ns > SLOW_MAX_NS)
		give_up(l, c);
}

static bool has_patience(struct looker *l)
{
	uint64_t now = clock_monotonic_ns();

	l->patience_ns += (int64_t)((now - l->patience_at_ns) / PATIENCE_SHARE);
	if (l->patience_ns > (int64_t)PATIENCE_NS)
		l->patience_ns = PATIENCE_NS;
	l->patience_at_ns = now;
	if (l->left.nr)
		lost_children_reap(&l->left);
	return l->patience_ns > 0 && l->left.nr < LEFT_MAX;
}

/* Does the child want a processor? Then nobody keeps it waiting. */
static bool is_runnable(pid_t pid)
{
	char_vec text = {0};
	char path[32];
	const char *state;
	bool ret;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	state = read_file(path, 4096, &text) ? NULL : strrchr(text.data, ')');
	ret = state && !strncmp(state, ") R", 3);
	vec_free(&text);
	return ret;
}

/* Returns 0 when there is an answer or the child has died, or -ETIMEDOUT. */
static int wait_for_answer(const struct looker *l)
{
	uint64_t begin_ns = clock_monotonic_ns();
	uint64_t seen = __atomic_load_n(&l->watch->nr_touches, __ATOMIC_RELAXED);
	struct pollfd answer = {.fd = l->sock, .events = POLLIN};
	unsigned int nr_starved = 0;

	while (poll(&answer, 1, TOUCH_MS) <= 0) {
		uint64_t now = __atomic_load_n(&l->watch->nr_touches, __ATOMIC_RELAXED);

		if (now == seen && (!is_runnable(l->pid) || ++nr_starved == STARVED_MAX))
			return -ETIMEDOUT;
		if (now != seen && clock_monotonic_ns() - begin_ns > LOOK_MAX_NS &&
		    !is_runnable(l->pid))
			return -ETIMEDOUT;
		seen = now;
	}
	return 0;
}

static int send_question(struct looker *l, const struct look_question *q)
{
	struct question question;
	int ret = l->sock < 0 ? start_child(l) : 0;

	question.fn = q->fn;
	memcpy(question.bytes, q->bytes, q->nr);
	if (!ret)
		ret = fd_message_send(l->sock, &question, offsetof(struct question, bytes) + q->nr,
				      q->fd);
	return ret;
}

/* Returns 0 with *@result set, or a negative errno when the child has died. */
static int receive_answer(struct looker *l, struct look_answer *answer, int *result)
{
	static struct answer got;
	const size_t head = offsetof(struct answer, bytes);
	size_t len = sizeof(got);
	int ret = fd_message_receive_some(l->sock, &got, &len, &answer->fd);

	if (ret || len < head)
		return -EIO;
	if (got.slowest)
		charge_slow(l, got.slowest, got.slow_ns);
	l->nr_given_up += got.nr_given_up;
	l->cpu_ns += got.cpu_ns;
	answer->nr = len - head;
	memcpy(answer->bytes, got.bytes, answer->nr);
	*result = got.result;
	return 0;
}

static int ask_here(const struct look_question *q, struct look_answer *answer)
{
	struct look look = {
		.question = q->bytes, .nr_question = q->nr, .fd = q->fd, .answer_fd = -1};
	int ret = q->fn(&look);

	memcpy(answer->bytes, look.answer, look.nr_answer);
	answer->nr = look.nr_answer;
	answer->fd = look.answer_fd;
	return ret;
}

int looker_ask(struct looker *l, const struct look_question *q, struct look_answer *answer)
{
	uint64_t begin_ns = clock_monotonic_ns();
	int ret, result;

	answer->nr = 0;
	answer->fd = -1;
	if (!l)
		return ask_here(q, answer);
	if (!has_patience(l)) {
		l->nr_given_up++;
		return -EHOSTDOWN;
	}
	ret = send_question(l, q);
	/* The child has died since the last question. */
	if (ret == -EPIPE || ret == -ECONNRESET) {
		leave_child(l);
		ret = send_question(l, q);
	}
	if (!ret)
		ret = wait_for_answer(l);
	if (!ret)
		ret = receive_answer(l, answer, &result);
	if (!ret)
		return result;
	l->nr_given_up++;
	if (ret == -ETIMEDOUT) {
		l->patience_ns -= (int64_t)(clock_monotonic_ns() - begin_ns);
		looker_blame(l, __atomic_load_n(&l->watch->culprit, __ATOMIC_RELAXED));
	}
	leave_child(l);
	return ret == -ETIMEDOUT ? ret : -EIO;
}

uint32_t looker_next_number(struct looker *l)
{
	static uint32_t without_looker;

	return l ? ++l->last_number : ++without_looker;
}

uint64_t looker_cpu_ns(const struct looker *l)
{
	return l ? l->cpu_ns : 0;
}

uint64_t looker_nr_given_up(const struct looker *l)
{
	return l ? l->nr_given_up : 0;
}

void looker_destroy(struct looker *l)
{
	if (!l)
		return;
	leave_child(l);
	if (l->watch && l->watch != MAP_FAILED)
		munmap(l->watch, sizeof(*l->watch));
	free(l);
}
