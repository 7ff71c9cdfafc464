// SPDX-License-Identifier: GPL-2.0-or-later
/* meddle PID: prints what this process may do to the other one: end it, trace it, change its
 * limits. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
	const pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
	struct rlimit limit;

	if (pid <= 0)
		return 2;
	if (!prlimit(pid, RLIMIT_NOFILE, NULL, &limit) &&
	    !prlimit(pid, RLIMIT_NOFILE, &limit, NULL))
		puts("prlimit");
	if (!ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		puts("ptrace");
	if (!kill(pid, SIGKILL))
		puts("kill");
	return 0;
}
