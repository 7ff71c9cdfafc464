// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/looker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/children/child.h"
#include "record/children/fd_message.h"
#include "record/host/privilege.h"
#include "record/shares/owner_ids.h"
#include "record/shares/owner_time.h"
#include "record/shares/shares.h"

/* A touch that takes longer has no answer, unless the looker only waits for a processor. */
#define TOUCH_MS 500

/* A looker that waits for a processor gets up to this many times TOUCH_MS. */
#define STARVED_MAX 20

/* A look may not take longer, however many touches it has. */
#define LOOK_MAX_NS (4 * NS_PER_S)

/* After this time, an answer goes out with what is there. */
#define LOOK_LONG_NS (NS_PER_S / 2)

/* A touch that blocks for longer counts as slow. */
#define SLOW_NS (50 * NS_PER_MS)

/*
 * A culprit is given up after SLOW_MAX_NS of slow touches, first for GIVE_UP_NS and then for four
 * times longer each time.
 */
#define SLOW_MAX_NS    NS_PER_S
#define GIVE_UP_NS     (10 * NS_PER_S)
#define GIVE_UP_MAX_NS (3600 * NS_PER_S)

/*
 * The recorder has PATIENCE_NS for slow touches of root's processes, and as much for looks at those
 * of all other users. It regains 1/PATIENCE_SHARE of the time that passes, so that even countless
 * culprits cannot hold it up. One user's processes may use OWNER_NS, and 1/OWNER_SHARE of the time.
 */
#define PATIENCE_NS    (4 * NS_PER_S)
#define PATIENCE_SHARE 100
#define OWNER_NS       NS_PER_S
#define OWNER_SHARE    100

/*
 * The most lookers that may be left behind at a time, by root's processes and by those of all other
 * users, and by those of one user. Each holds memory of the recorder.
 */
#define LEFT_MAX       8
#define OWNER_LEFT_MAX 2

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

struct patience {
	int64_t left_ns;
	uint64_t at_ns; /* when it was right */
};

/* The users whose looks share patience and children that may be left behind. */
enum { ROOT, OTHERS, NR_GROUPS };

struct looker {
	pid_t pid;
	int sock; /* to the child; -1: there is none */
	bool keeps_rights;
	struct look_watch *watch;
	struct culprit culprits[CULPRITS_MAX];
	size_t nr_culprits;
	struct patience patience[NR_GROUPS];
	struct owner_time owners; /* blocked time of looks */
	struct lost_children left;
	uint32_t left_uids[LOST_CHILDREN_MAX]; /* whose look each was left in */
	struct shares given_up;                /* counts by owner alone */
	uint64_t nr_stopped;
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
	uint64_t blocked_ns; /* of all touches */
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
 * How long this process ran or waited for a processor since its beginning; where the kernel does
 * not count the latter, how long it ran.
 */
static uint64_t not_blocked_ns(void)
{
	unsigned long long waited_ns;
	char text[128];
	static int fd = -1;
	ssize_t n;

	if (fd < 0)
		fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	/* The time that it ran is older there than that of the clock. */
	if (sscanf(text, "%*u %llu", &waited_ns) != 1)
		waited_ns = 0;
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + waited_ns;
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

static void note_blocked(const struct look *look, uint64_t not_blocked)
{
	uint64_t took_ns = clock_monotonic_ns() - look->begin_ns;

	touch.answer.blocked_ns = took_ns > not_blocked ? took_ns - not_blocked : 0;
}

/* A user may have too many descriptors on their way. Then the answer is that, without one. */
static int send_answer(int sock, const struct look *look)
{
	const size_t head = offsetof(struct answer, bytes);
	int ret = fd_message_send(sock, &touch.answer, head + look->nr_answer, look->answer_fd);

	if (ret == -ETOOMANYREFS) {
		touch.answer.result = ret;
		ret = fd_message_send(sock, &touch.answer, head, -1);
	}
	return ret;
}

/* In the looker. Returns 0, or a negative errno when nobody asks any more. */
static int answer_question(int sock, struct look_watch *watch)
{
	static struct question question;
	static struct look look;
	_cleanup_close_ int fd = -1;
	size_t len = sizeof(question);
	uint64_t cpu_ns, not_blocked;
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
	touch.not_blocked_ns = not_blocked = not_blocked_ns();
	cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	memset(&touch.answer, 0, offsetof(struct answer, bytes));
	touch.answer.result = question.fn(&look);
	end_touch(&look);
	note_blocked(&look, not_blocked_ns() - not_blocked);
	touch.answer.cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	memcpy(touch.answer.bytes, look.answer, look.nr_answer);
	ret = send_answer(sock, &look);
	cleanup_close(&look.answer_fd);
	return ret;
}

static void __attribute__((noreturn)) run_child(int sock, const struct looker *l, pid_t parent)
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
	    (!l->keeps_rights && privilege_drop(needs, sizeof(needs) / sizeof(needs[0]), NULL)) ||
	    child_die_with(parent))
		_exit(1);
	while (!answer_question(STDIN_FILENO, l->watch))
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
		run_child(socks[1], l, parent);
	ret = l->pid < 0 ? -errno : 0;
	close(socks[1]);
	l->sock = socks[0];
	if (ret) {
		close(l->sock);
		l->sock = -1;
	}
	return ret;
}

/* Forgets the children that have ended, and their users. */
static void reap_left(struct looker *l)
{
	const struct lost_children before = l->left;
	size_t nr = 0;

	lost_children_reap(&l->left);
	for (size_t i = 0; i < before.nr && nr < l->left.nr; i++)
		if (before.pids[i] == l->left.pids[nr])
			l->left_uids[nr++] = l->left_uids[i];
}

/* The child goes, which looked at a process of @uid. */
static void leave_child(struct looker *l, uint32_t uid)
{
	if (l->sock < 0)
		return;
	close(l->sock);
	l->sock = -1;
	reap_left(l);
	child_end(l->pid, &l->left);
	if (l->left.nr && l->left.pids[l->left.nr - 1] == l->pid)
		l->left_uids[l->left.nr - 1] = uid;
}

int looker_start(bool keeps_rights, struct looker **looker, struct err *err)
{
	struct looker *l = calloc(1, sizeof(*l));
	int ret = -ENOMEM;

	if (l) {
		l->sock = -1;
		l->keeps_rights = keeps_rights;
		for (int i = 0; i < NR_GROUPS; i++)
			l->patience[i] = (struct patience){PATIENCE_NS, clock_monotonic_ns()};
		l->owners = (struct owner_time){.part = OWNER_SHARE, .max_ns = OWNER_NS};
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

	c->slow_ns += ns;
	if (c->slow_ns > SLOW_MAX_NS)
		give_up(l, c);
}

static struct patience *patience_with(struct looker *l, uint32_t uid)
{
	return &l->patience[uid ? OTHERS : ROOT];
}

/* A look at a process of @uid has kept the recorder waiting. */
static void charge_owner(struct looker *l, uint32_t uid, uint64_t ns)
{
	patience_with(l, uid)->left_ns -= (int64_t)ns;
	owner_time_charge(&l->owners, uid, ns, clock_monotonic_ns());
}

/* Have looks at processes of @uid left as many children behind as they may? */
static bool has_left_many(struct looker *l, uint32_t uid)
{
	size_t nr_own = 0, nr_group = 0;

	reap_left(l);
	for (size_t i = 0; i < l->left.nr; i++) {
		nr_own += l->left_uids[i] == uid;
		nr_group += !l->left_uids[i] == !uid;
	}
	return nr_group >= LEFT_MAX || (uid && nr_own >= OWNER_LEFT_MAX);
}

static bool has_patience(struct looker *l, uint32_t uid)
{
	struct patience *p = patience_with(l, uid);
	uint64_t now = clock_monotonic_ns();

	p->left_ns += (int64_t)((now - p->at_ns) / PATIENCE_SHARE);
	if (p->left_ns > (int64_t)PATIENCE_NS)
		p->left_ns = PATIENCE_NS;
	p->at_ns = now;
	return p->left_ns > 0 && owner_time_left(&l->owners, uid, now) && !has_left_many(l, uid);
}

/*
 * The user of the process. Its directory has the effective user also when its other files are
 * root's (PR_SET_DUMPABLE). One that has ended counts as a user of its own.
 */
static uint32_t owner_of(uint32_t pid)
{
	char path[32];
	struct stat st;

	if (!pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? SHARES_OTHERS : owner_id(st.st_uid);
}

/*
 * Returns 0 when there is an answer or the child has died, -ETIMEDOUT, or -EINTR when somebody has
 * stopped the child.
 */
static int wait_for_answer(const struct looker *l)
{
	uint64_t begin_ns = clock_monotonic_ns();
	uint64_t seen = __atomic_load_n(&l->watch->nr_touches, __ATOMIC_RELAXED);
	struct pollfd answer = {.fd = l->sock, .events = POLLIN};
	unsigned int nr_starved = 0;

	while (poll(&answer, 1, TOUCH_MS) <= 0) {
		uint64_t now = __atomic_load_n(&l->watch->nr_touches, __ATOMIC_RELAXED);
		char state = child_state(l->pid);

		if (state == 'T' || state == 't')
			return -EINTR;
		/* A child that wants a processor is kept waiting by nobody. */
		if (now == seen && (state != 'R' || ++nr_starved == STARVED_MAX))
			return -ETIMEDOUT;
		if (now != seen && clock_monotonic_ns() - begin_ns > LOOK_MAX_NS && state != 'R')
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

static void note_given_up(struct looker *l, uint32_t uid, uint32_t nr)
{
	for (; nr; nr--)
		shares_note_lack(&l->given_up, uid);
}

/* Returns 0 with *@result set, or a negative errno when the child has died. */
static int receive_answer(struct looker *l, uint32_t uid, struct look_answer *answer, int *result)
{
	static struct answer got;
	const size_t head = offsetof(struct answer, bytes);
	size_t len = sizeof(got);
	int ret = fd_message_receive_some(l->sock, &got, &len, &answer->fd);

	if (ret || len < head)
		return -EIO;
	if (got.slowest)
		charge_slow(l, got.slowest, got.slow_ns);
	/* Root's programs may read from a slow disk. */
	charge_owner(l, uid, uid ? got.blocked_ns : got.slow_ns);
	note_given_up(l, uid, got.nr_given_up);
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

/* Asks once, a new child if the last one has died or was stopped. Returns as looker_ask. */
static int ask_child(struct looker *l, uint32_t uid, const struct look_question *q)
{
	int ret = send_question(l, q);

	if (ret == -EPIPE || ret == -ECONNRESET) {
		leave_child(l, uid);
		ret = send_question(l, q);
	}
	if (!ret)
		ret = wait_for_answer(l);
	if (ret != -EINTR)
		return ret;
	l->nr_stopped++;
	/* Whoever may stop it has root's rights. */
	charge_owner(l, 0, TOUCH_MS * NS_PER_MS);
	leave_child(l, uid);
	ret = send_question(l, q);
	return ret ? ret : wait_for_answer(l);
}

int looker_ask(struct looker *l, const struct look_question *q, struct look_answer *answer)
{
	uint64_t begin_ns = clock_monotonic_ns();
	int ret, result;
	uint32_t uid;

	answer->nr = 0;
	answer->fd = -1;
	if (!l)
		return ask_here(q, answer);
	uid = owner_of(q->pid);
	if (!has_patience(l, uid)) {
		note_given_up(l, uid, 1);
		return -EHOSTDOWN;
	}
	ret = ask_child(l, uid, q);
	if (!ret)
		ret = receive_answer(l, uid, answer, &result);
	if (!ret)
		return result;
	note_given_up(l, uid, 1);
	if (ret == -ETIMEDOUT) {
		charge_owner(l, uid, clock_monotonic_ns() - begin_ns);
		looker_blame(l, __atomic_load_n(&l->watch->culprit, __ATOMIC_RELAXED));
	}
	leave_child(l, uid);
	return ret == -ETIMEDOUT ? ret : -EIO;
}

bool looker_is_child(const struct looker *l, uint32_t pid)
{
	return l && l->sock >= 0 && (uint32_t)l->pid == pid;
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
	return l ? shares_nr_lacked(&l->given_up) : 0;
}

uint64_t looker_most_given_up(const struct looker *l, uint32_t *uid)
{
	uint64_t most = 0;

	vec_for_each(&l->given_up.owners, owner) {
		if (owner->nr_lacked <= most)
			continue;
		most = owner->nr_lacked;
		*uid = owner->uid;
	}
	return most;
}

uint64_t looker_nr_stopped(const struct looker *l)
{
	return l ? l->nr_stopped : 0;
}

void looker_destroy(struct looker *l)
{
	if (!l)
		return;
	leave_child(l, 0);
	owner_time_deinit(&l->owners);
	shares_deinit(&l->given_up);
	if (l->watch && l->watch != MAP_FAILED)
		munmap(l->watch, sizeof(*l->watch));
	free(l);
}
