// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * contain SECONDS LEFT COMMAND...: runs the command. No process that it started outlives it,
 * wherever it went, since contain is the parent of every orphan below it. Processes that the
 * command leaves have GRACE_S to end. contain names those that stay in the file LEFT, "NAME (PID)"
 * in a line each, and kills them. After SECONDS, and at SIGINT, SIGTERM, SIGHUP or the end of its
 * own parent, contain kills all. The file LEFT.cpu has the CPU time of all that ran, in
 * milliseconds.
 *
 * The exit status is that of the command. It is 124 after SECONDS, 128 + N if signal N ended the
 * command or contain itself, and 125 if contain failed.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FAILED    125
#define STATUS_TIMED_OUT 124
#define GRACE_S          20
#define MAX_PROCESSES    65536

struct process {
	pid_t pid;
	pid_t parent;
	bool is_below; /* is a descendant of ours */
	char name[64];
};

static struct process processes[MAX_PROCESSES];

/* The events that contain waits for. All are blocked, and read by sigtimedwait(). */
static sigset_t heeded;

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* /proc/PID/stat: "PID (NAME) STATE PARENT ..."; the name may hold parentheses. */
static bool read_process(const char *pid, struct process *p)
{
	char path[64], line[512], *open, *close;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[n] = '\0';
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close)
		return false;
	*close = '\0';
	*p = (struct process){.pid = atoi(pid)};
	snprintf(p->name, sizeof(p->name), "%s", open + 1);
	return sscanf(close + 1, " %*c %d", &p->parent) == 1;
}

/* All processes there are. Returns how many. */
static size_t list_processes(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t nr = 0;

	if (!proc)
		err(STATUS_FAILED, "/proc");
	while (nr < MAX_PROCESSES && (entry = readdir(proc)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    read_process(entry->d_name, &processes[nr]))
			nr++;
	closedir(proc);
	return nr;
}

/* Marks the descendants. A parent may stand after its child, so until a pass finds no more. */
static size_t list_descendants(void)
{
	size_t nr = list_processes();
	pid_t self = getpid();
	bool found;

	do {
		found = false;
		for (size_t i = 0; i < nr; i++) {
			struct process *p = &processes[i];
			bool is_below = p->parent == self;

			for (size_t j = 0; j < nr && !is_below && !p->is_below; j++)
				is_below = processes[j].is_below && processes[j].pid == p->parent;
			if (is_below && !p->is_below)
				found = p->is_below = true;
		}
	} while (found);
	return nr;
}

static void name_descendants(const char *path)
{
	FILE *f = fopen(path, "we");
	size_t nr = list_descendants();

	if (!f)
		err(STATUS_FAILED, "%s", path);
	for (size_t i = 0; i < nr; i++)
		if (processes[i].is_below)
			fprintf(f, "%s (%d)\n", processes[i].name, processes[i].pid);
	if (fclose(f))
		err(STATUS_FAILED, "%s", path);
}

static void kill_descendants(void)
{
	size_t nr = list_descendants();

	for (size_t i = 0; i < nr; i++)
		if (processes[i].is_below)
			kill(processes[i].pid, SIGKILL);
}

/*
 * Takes the status of all children that have ended; that of @pid goes to *@status. Returns whether
 * there are others.
 */
static bool reap_children(pid_t pid, int *status)
{
	pid_t ended;
	int how;

	while ((ended = waitpid(-1, &how, WNOHANG)) > 0)
		if (ended == pid)
			*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return ended == 0;
}

static void kill_all(void)
{
	const struct timespec soon = {.tv_nsec = 10 * 1000 * 1000};
	int unused;

	/* One that forks while the list is made is met in a later round. */
	while (reap_children(0, &unused)) {
		kill_descendants();
		sigtimedwait(&heeded, NULL, &soon);
	}
}

/* Waits for a signal until the time @end. Returns it, or 0 when the time is over. */
static int wait_signal(time_t end)
{
	struct timespec rest = {.tv_sec = end - now_s()};
	int signal;

	if (rest.tv_sec <= 0)
		return 0;
	signal = sigtimedwait(&heeded, NULL, &rest);
	return signal > 0 ? signal : errno == EINTR ? SIGCHLD : 0;
}

/* Returns the exit status of contain. */
static int watch_command(pid_t pid, time_t end, const char *left)
{
	time_t grace_end = 0;
	int status = -1;

	for (;;) {
		bool are_more = reap_children(pid, &status);
		int signal;

		if (status >= 0 && !are_more)
			return status;
		if (status >= 0 && !grace_end)
			grace_end = now_s() + GRACE_S;
		signal = wait_signal(grace_end ? grace_end : end);
		if (signal == SIGCHLD)
			continue;
		if (!signal && grace_end)
			name_descendants(left);
		else
			status = signal ? 128 + signal : STATUS_TIMED_OUT;
		kill_all();
		return status;
	}
}

/* Writes the CPU time of all descendants that somebody waited for. */
static void write_cpu_time(const char *left)
{
	struct rusage all;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s.cpu", left);
	f = fopen(path, "we");
	if (!f || getrusage(RUSAGE_CHILDREN, &all))
		err(STATUS_FAILED, "%s", path);
	fprintf(f, "%ld\n",
		(all.ru_utime.tv_sec + all.ru_stime.tv_sec) * 1000 +
			(all.ru_utime.tv_usec + all.ru_stime.tv_usec) / 1000);
	if (fclose(f))
		err(STATUS_FAILED, "%s", path);
}

static pid_t start_command(char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		err(STATUS_FAILED, "fork");
	if (pid)
		return pid;
	setsid(); /* signals of a terminal are for contain alone */
	sigprocmask(SIG_UNBLOCK, &heeded, NULL);
	execvp(command[0], command);
	err(STATUS_FAILED, "%s", command[0]);
}

int main(int argc, char **argv)
{
	static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
	time_t end;
	int status;

	if (argc < 4)
		errx(STATUS_FAILED, "contain SECONDS LEFT COMMAND...");
	end = now_s() + atol(argv[1]);
	sigemptyset(&heeded);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaddset(&heeded, signals[i]);
		signal(signals[i],
		       SIG_DFL); /* a shell ignores some for commands that it starts with & */
	}
	sigprocmask(SIG_BLOCK, &heeded, NULL);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0))
		err(STATUS_FAILED, "prctl");
	status = watch_command(start_command(argv + 3), end, argv[2]);
	write_cpu_time(argv[2]);
	return status;
}
