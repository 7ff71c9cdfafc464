// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/proc_task.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/readfile.h"

#define STATUS_MAX (64u << 10)

#define PATH_SIZE 64

int proc_status_number(const char *text, const char *key, uint32_t *value)
{
	size_t len = strlen(key);

	/* Keys stand at the beginning of a line. The first line has the thread's name, escaped. */
	for (const char *line = text; line; line = strchr(line, '\n')) {
		char digits[16];
		uint64_t number;
		size_t n;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		line += len;
		line += strspn(line, " \t");
		n = strcspn(line, "\n");
		if (n >= sizeof(digits))
			return -EINVAL;
		memcpy(digits, line, n);
		digits[n] = '\0';
		if (parse_u64(digits, 0, UINT32_MAX, &number))
			return -EINVAL;
		*value = number;
		return 0;
	}
	return -EINVAL;
}

static int read_number(uint32_t id, const char *key, uint32_t *value)
{
	char path[PATH_SIZE];
	char_vec text = {0};
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/status", id);
	ret = read_file(path, STATUS_MAX, &text);
	if (!ret)
		ret = proc_status_number(text.data, key, value);
	vec_free(&text);
	return ret;
}

static int read_start(uint32_t pid, uint64_t *start_ns)
{
	unsigned long long ticks;
	char path[PATH_SIZE];
	char_vec text = {0};
	const char *rest;
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	ret = read_file(path, STATUS_MAX, &text);
	/* Field 22 (proc_pid_stat(5)). Field 2 is the name in parentheses, which holds anything. */
	rest = ret ? NULL : strrchr(text.data, ')');
	if (!ret &&
	    (!rest ||
	     sscanf(rest + 1,
		    " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
		    &ticks) != 1))
		ret = -EINVAL;
	if (!ret)
		*start_ns = clock_boottime_of(ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)));
	vec_free(&text);
	return ret;
}

/* A look_fn. */
static int answer_start(struct look *look)
{
	uint64_t start_ns;
	uint32_t pid;
	int ret;

	memcpy(&pid, look->question, sizeof(pid));
	ret = look_touch(look, look_process(pid));
	if (!ret)
		ret = read_start(pid, &start_ns);
	if (!ret)
		look_answer_append(look, &start_ns, sizeof(start_ns));
	return ret;
}

int proc_start_ns(struct looker *looker, uint32_t pid, uint64_t *start_ns)
{
	const struct look_question question = {
		.fn = answer_start, .bytes = &pid, .nr = sizeof(pid), .fd = -1, .pid = pid};
	struct look_answer answer;
	int ret = looker_ask(looker, &question, &answer);

	if (!ret && answer.nr != sizeof(*start_ns))
		ret = -EBADMSG;
	if (!ret)
		memcpy(start_ns, answer.bytes, sizeof(*start_ns));
	return ret;
}

struct looker *proc_looker(struct looker *looker, uint32_t id)
{
	char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", id);
	/* The directory has the effective user also where its files are root's. */
	return looker && (stat(path, &st) || st.st_uid != geteuid()) ? looker : NULL;
}

struct stat_question {
	uint32_t pid, tid;
};

/* A look_fn. The answer is the text behind the name, which may hold anything. */
static int answer_stat(struct look *look)
{
	struct stat_question q;
	char path[PATH_SIZE];
	char_vec text = {0};
	const char *rest;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", q.pid, q.tid);
	ret = look_touch(look, look_process(q.pid));
	if (!ret)
		ret = read_file(path, STATUS_MAX, &text);
	rest = ret ? NULL : strrchr(text.data, ')');
	if (!ret && (!rest || rest[1] != ' ' || strlen(rest) > PROC_STAT_SIZE))
		ret = -EINVAL;
	if (!ret)
		look_answer_append(look, rest + 2, strlen(rest + 2) + 1);
	vec_free(&text);
	return ret;
}

int proc_stat_read(struct looker *looker, uint32_t pid, uint32_t tid,
		   char text[static PROC_STAT_SIZE])
{
	const struct stat_question q = {pid, tid};
	const struct look_question question = {
		.fn = answer_stat, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = pid};
	static struct look_answer answer;
	int ret = looker_ask(proc_looker(looker, tid), &question, &answer);

	if (!ret && (!answer.nr || answer.nr > PROC_STAT_SIZE || answer.bytes[answer.nr - 1]))
		ret = -EBADMSG;
	if (!ret)
		memcpy(text, answer.bytes, answer.nr);
	return ret;
}

uint32_t proc_owner(uint32_t pid)
{
	uint32_t real = PROC_NOBODY, effective;
	char path[PATH_SIZE];
	char_vec text = {0};
	const char *line;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	/* The first line has the name, whose newlines are escaped. */
	line = read_file(path, STATUS_MAX, &text) ? NULL : strstr(text.data, "\nUid:");
	if (line && sscanf(line, " Uid: %" SCNu32 " %" SCNu32, &real, &effective) == 2 && !real)
		real = effective;
	vec_free(&text);
	return real;
}

int proc_tgid(uint32_t tid, uint32_t *tgid)
{
	return read_number(tid, "Tgid:", tgid);
}

int proc_tracer(uint32_t tid, uint32_t *tracer)
{
	return read_number(tid, "TracerPid:", tracer);
}

int proc_parent(uint32_t pid, uint32_t *ppid)
{
	return read_number(pid, "PPid:", ppid);
}

bool proc_is_gone(uint32_t pid)
{
	return kill((pid_t)pid, 0) && errno == ESRCH;
}

/* "." and "..", and the main thread, which is there until the last one has gone. */
#define NO_THREAD_LINKS 3

bool proc_has_threads(uint32_t pid)
{
	char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return !stat(path, &st) && st.st_nlink > NO_THREAD_LINKS;
}

/* One pass of proc_add_threads. Returns 1 if it found a new thread. */
static int add_once(uint32_t pid, int (*add)(void *ctx, uint32_t tid), void *ctx)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	bool has_new = false;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (ret >= 0 && (entry = readdir(dir))) {
		uint64_t tid;

		if (parse_u64(entry->d_name, 1, UINT32_MAX, &tid))
			continue;
		ret = add(ctx, tid);
		has_new |= ret == 1;
		if (ret == -ESRCH)
			ret = 0;
	}
	closedir(dir);
	return ret < 0 ? ret : has_new;
}

int proc_add_threads(uint32_t pid, int (*add)(void *ctx, uint32_t tid), void *ctx)
{
	int ret;

	do
		ret = add_once(pid, add, ctx);
	while (ret == 1);
	return ret;
}

int proc_list(u32_vec *pids, struct err *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return err_set(err, -errno, "failed to open '/proc': %m");
	while (!ret && (entry = readdir(dir))) {
		uint64_t pid;

		if (!parse_u64(entry->d_name, 1, INT32_MAX, &pid))
			ret = vec_push(pids, pid);
	}
	closedir(dir);
	return ret ? err_set(err, ret, "failed to list the processes: out of memory") : 0;
}
