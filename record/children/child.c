// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/children/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/readfile.h"

#define END_MS 100

/*
 * Ctrl-C is for the recorder. The recorder ends its children by SIGKILL, which cannot be blocked.
 */
static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

int child_begin(int sock, const char *name)
{
	block_signals();
	prctl(PR_SET_NAME, name, 0, 0, 0);
	if (sock != STDIN_FILENO && dup2(sock, STDIN_FILENO) < 0)
		return -errno;
	return syscall(SYS_close_range, STDIN_FILENO + 1, ~0u, 0) ? -errno : 0;
}

int child_die_with(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent ? -ESRCH : 0;
}

char child_state(pid_t pid)
{
	char_vec text = {0};
	char path[32], state = 0;
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	end = read_file(path, 4096, &text) ? NULL : strrchr(text.data, ')');
	if (end && end[1] == ' ')
		state = end[2];
	vec_free(&text);
	return state;
}

static bool has_ended(pid_t pid)
{
	pid_t ret;

	do
		ret = waitpid(pid, NULL, WNOHANG);
	while (ret < 0 && errno == EINTR);
	return ret != 0;
}

void child_end(pid_t pid, struct lost_children *lost)
{
	_cleanup_close_ int pidfd = syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = {.fd = pidfd, .events = POLLIN};

	kill(pid, SIGKILL);
	if (pidfd >= 0)
		poll(&end, 1, END_MS);
	if (has_ended(pid))
		return;
	lost_children_reap(lost);
	if (lost->nr < LOST_CHILDREN_MAX)
		lost->pids[lost->nr++] = pid;
}

void lost_children_reap(struct lost_children *lost)
{
	size_t nr = 0;

	for (size_t i = 0; i < lost->nr; i++)
		if (!has_ended(lost->pids[i]))
			lost->pids[nr++] = lost->pids[i];
	lost->nr = nr;
}
