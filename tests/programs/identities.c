// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that all differ in what a recording says of them. Number I runs the program DIR/tI, so
 * its thread is called tI, too, for user 100000 + I, in the cgroup CGROUPS/(I modulo 3). So the
 * thread of each sample says what the rest must be.
 *
 *	identities turns DIR FIRST N US [CGROUPS]  one after the other, each for US microseconds
 *	identities pids DIR FIRST N US [CGROUPS]   as above, with five pids in turn
 *	identities crowd DIR FIRST N US [CGROUPS]  they wait for SIGUSR1, and run together then
 *	identities steady DIR FIRST N 0 [CGROUPS]  they run together until SIGUSR1
 *
 * A line "tI PID" of standard output tells of each. User ids change only for root. Times are of the
 * CPU.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UID_FIRST 100000
#define NR_PIDS   5
#define LAST_PID  "/proc/sys/kernel/ns_last_pid"

static const char *dir, *cgroups;
static int gate[2];

__attribute__((noinline)) void burn_us(long us);

__attribute__((noinline)) void burn_us(long us)
{
	struct timespec now;

	do {
		for (volatile int i = 0; i < 2000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (!us || now.tv_sec * 1000000 + now.tv_nsec / 1000 < us);
}

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

/* Returns false if the file does not take @text. */
static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return is_written;
}

static void become(int i, const char *us, bool waits)
{
	char path[PATH_MAX];

	if (cgroups) {
		snprintf(path, sizeof(path), "%s/%d/cgroup.procs", cgroups, i % 3);
		if (!write_text(path, "0"))
			die(path);
	}
	if (!getuid() && setuid(UID_FIRST + i))
		die("setuid");
	if (waits && dup2(gate[0], STDIN_FILENO) < 0)
		die("dup2");
	snprintf(path, sizeof(path), "%s/t%d", dir, i);
	execl(path, path, us, waits ? "wait" : NULL, NULL);
	die(path);
}

static pid_t begin(int i, const char *us, bool waits)
{
	pid_t pid = fork();

	if (!pid)
		become(i, us, waits);
	if (pid < 0)
		die("fork");
	printf("t%d %d\n", i, pid);
	return pid;
}

/* The next process gets the first id that is free, from that of turn @i on. */
static void choose_pid(pid_t base, int i)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", base + i % NR_PIDS - 1);
	if (!write_text(LAST_PID, text))
		die(LAST_PID);
}

static void take_turns(int first, int nr, const char *us, bool with_pids)
{
	pid_t base = 0;

	for (int i = 0; i < nr; i++) {
		pid_t pid;

		if (base)
			choose_pid(base, i);
		pid = begin(first + i, us, false);
		waitpid(pid, NULL, 0);
		if (with_pids && !base)
			base = pid;
	}
}

static void run_together(int first, int nr, const char *us, bool waits)
{
	pid_t *pids = calloc(nr, sizeof(*pids));
	sigset_t go;
	int number;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	if (!pids || pipe2(gate, O_CLOEXEC))
		die("pipe2");
	for (int i = 0; i < nr; i++)
		pids[i] = begin(first + i, us, waits);
	fflush(stdout);
	sigwait(&go, &number);
	close(gate[1]);
	for (int i = 0; i < nr; i++) {
		if (!waits)
			kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int first, nr;
	char c;

	if (argc < 6) {
		if (argc > 2)
			(void)!read(STDIN_FILENO, &c, 1);
		burn_us(argc > 1 ? atol(argv[1]) : 1);
		return 0;
	}
	dir = argv[2];
	first = atoi(argv[3]);
	nr = atoi(argv[4]);
	cgroups = argv[6];
	for (int i = first; i < first + nr; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/t%d", dir, i);
		if (link(argv[0], path))
			die(path);
	}
	if (!strcmp(argv[1], "turns") || !strcmp(argv[1], "pids"))
		take_turns(first, nr, argv[5], !strcmp(argv[1], "pids"));
	else
		run_together(first, nr, argv[5], !strcmp(argv[1], "crowd"));
	return 0;
}
