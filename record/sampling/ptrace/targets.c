// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "format/prof.h"
#include "record/looks/proc_info.h"
#include "record/looks/proc_task.h"

#define PATH_SIZE 64

void targets_deinit(struct targets *t)
{
	vec_for_each(&t->threads, thread)
		cleanup_close(&thread->stat_fd);
	vec_free(&t->threads);
	vec_free(&t->processes);
}

/* The position of @pid, or where it would be. */
static size_t process_at(const struct targets *t, uint32_t pid)
{
	size_t first = 0, nr = t->processes.nr;

	while (nr) {
		size_t half = nr / 2;

		if (t->processes.data[first + half].known.pid < pid) {
			first += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return first;
}

static size_t thread_at(const struct targets *t, uint32_t tid)
{
	size_t first = 0, nr = t->threads.nr;

	while (nr) {
		size_t half = nr / 2;

		if (t->threads.data[first + half].tid < tid) {
			first += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return first;
}

struct target_process *targets_find_process(const struct targets *t, uint32_t pid)
{
	size_t at = process_at(t, pid);

	return at < t->processes.nr && t->processes.data[at].known.pid == pid
		       ? &t->processes.data[at]
		       : NULL;
}

struct target_thread *targets_find_thread(const struct targets *t, uint32_t tid)
{
	size_t at = thread_at(t, tid);

	return at < t->threads.nr && t->threads.data[at].tid == tid ? &t->threads.data[at] : NULL;
}

struct target_process *targets_process(struct targets *t, uint32_t pid)
{
	const struct target_process new = {.known = {.pid = pid, .start = t->nr_starts + 1}};
	size_t at = process_at(t, pid);

	if (at < t->processes.nr && t->processes.data[at].known.pid == pid)
		return &t->processes.data[at];
	if (vec_push(&t->processes, new))
		return NULL;
	memmove(&t->processes.data[at + 1], &t->processes.data[at],
		(t->processes.nr - 1 - at) * sizeof(new));
	t->processes.data[at] = new;
	t->nr_starts++;
	return &t->processes.data[at];
}

struct target_thread *targets_thread(struct targets *t, uint32_t pid, uint32_t tid)
{
	const struct target_thread new = {.tid = tid, .pid = pid, .stat_fd = -1};
	size_t at = thread_at(t, tid);

	if (at < t->threads.nr && t->threads.data[at].tid == tid)
		return &t->threads.data[at];
	if (vec_push(&t->threads, new))
		return NULL;
	memmove(&t->threads.data[at + 1], &t->threads.data[at],
		(t->threads.nr - 1 - at) * sizeof(new));
	t->threads.data[at] = new;
	return &t->threads.data[at];
}

void targets_exec(struct targets *t, struct target_process *p)
{
	(void)t;
	p->known.nr_execs++;
	p->known.exec_pages++;
	/* A process without privileges keeps its user, unless the program has set-user-ID. */
	p->known.has_uid &= p->known.uid != 0;
	p->is_read = false;
	p->is_in_exec = true;
	p->needs_stop = false;
}

void targets_remove_thread(struct targets *t, uint32_t tid)
{
	size_t at = thread_at(t, tid);

	if (at == t->threads.nr || t->threads.data[at].tid != tid)
		return;
	cleanup_close(&t->threads.data[at].stat_fd);
	memmove(&t->threads.data[at], &t->threads.data[at + 1],
		(--t->threads.nr - at) * sizeof(t->threads.data[0]));
}

void targets_remove_process(struct targets *t, uint32_t pid)
{
	size_t at = process_at(t, pid);

	if (at == t->processes.nr || t->processes.data[at].known.pid != pid)
		return;
	memmove(&t->processes.data[at], &t->processes.data[at + 1],
		(--t->processes.nr - at) * sizeof(t->processes.data[0]));
}

bool targets_have_other_thread(const struct targets *t, uint32_t pid, uint32_t tid)
{
	vec_for_each(&t->threads, thread)
		if (thread->pid == pid && thread->tid != tid)
			return true;
	return false;
}

/* Reads a file of /proc as text. Returns its length, 0 if it cannot be read. */
static size_t read_text(const char *path, char *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t nr = fd < 0 ? -1 : read(fd, text, size - 1);

	text[nr > 0 ? nr : 0] = '\0';
	return nr > 0 ? (size_t)nr : 0;
}

/* Fields 26 to 28 of /proc/PID/stat (proc_pid_stat(5)). */
static void read_places(struct looker *looker, struct program_process *p, uint32_t tid)
{
	char text[PROC_STAT_SIZE];
	uint64_t places[3];

	if (proc_stat_read(looker, p->pid, tid, text) ||
	    sscanf(text,
		   "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &places[0], &places[1], &places[2]) != 3)
		return;
	p->start_code = places[0];
	p->end_code = places[1];
	p->start_stack = places[2];
}

struct exe_question {
	uint32_t pid, tid;
};

struct exe_answer {
	uint64_t dev, ino;
};

/* A look_fn. A file server may be asked. */
static int look_at_exe(struct look *look)
{
	struct exe_answer answer;
	struct exe_question q;
	char path[PATH_SIZE];
	struct stat st;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	snprintf(path, sizeof(path), "/proc/%u/task/%u/exe", q.pid, q.tid);
	ret = look_touch(look, look_process(q.pid));
	if (!ret && stat(path, &st))
		ret = -errno;
	if (ret)
		return ret;
	answer = (struct exe_answer){st.st_dev, st.st_ino};
	return look_answer_append(look, &answer, sizeof(answer)) ? 0 : -ENOBUFS;
}

static void read_exe(struct looker *looker, struct program_process *p, uint32_t tid)
{
	const struct exe_question q = {p->pid, tid};
	const struct look_question question = {
		.fn = look_at_exe, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = p->pid};
	static struct look_answer answer;
	struct exe_answer exe;

	if (looker_ask(looker, &question, &answer) || answer.nr != sizeof(exe))
		return;
	memcpy(&exe, answer.bytes, sizeof(exe));
	p->exe_dev = exe.dev;
	p->exe_ino = exe.ino;
}

void targets_read_process(const struct targets *t, struct target_process *p, uint32_t tid)
{
	struct proc_identity identity;

	if (p->is_read)
		return;
	p->is_read = true;
	p->known.start_code = p->known.end_code = p->known.start_stack = 0;
	p->known.exe_dev = p->known.exe_ino = 0;
	read_places(t->looker, &p->known, tid);
	read_exe(t->looker, &p->known, tid);
	/* The owner of the directory is root if the process may not be dumped. */
	if (proc_identity_read(p->known.pid, &identity) || identity.uid == PROF_UID_UNKNOWN)
		return;
	p->known.uid = identity.uid;
	p->known.has_uid = true;
}

uint64_t targets_faults(const struct targets *t, uint32_t pid)
{
	char text[PROC_STAT_SIZE];
	uint64_t minor, major;

	/* Fields 10 and 12 (proc_pid_stat(5)). */
	if (proc_stat_read(t->looker, pid, pid, text) ||
	    sscanf(text, "%*c %*s %*s %*s %*s %*s %*s %" SCNu64 " %*s %" SCNu64, &minor, &major) !=
		    2)
		return 0;
	return minor + major;
}

void targets_read_comm(struct target_thread *thread)
{
	char path[PATH_SIZE], text[sizeof(thread->comm) + 1];
	size_t nr;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", thread->pid, thread->tid);
	nr = read_text(path, text, sizeof(text));
	if (!nr)
		return;
	text[nr - 1] = '\0'; /* the newline */
	memset(thread->comm, 0, sizeof(thread->comm));
	memcpy(thread->comm, text, strlen(text));
	thread->has_comm = true;
}
