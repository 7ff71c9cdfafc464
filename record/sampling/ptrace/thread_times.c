// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/thread_times.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/minmax.h"
#include "record/looks/proc_task.h"
#include "record/host/cpus.h"

static void open_stat(struct target_thread *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", t->pid, t->tid);
	t->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
}

/* Descriptors from this number on are closed again: others are needed, too. */
static int kept_fds(void)
{
	static int nr;
	struct rlimit limit;

	if (!nr)
		nr = getrlimit(RLIMIT_NOFILE, &limit) ? 1
						      : (int)min_u64(limit.rlim_cur / 2, INT_MAX);
	return nr;
}

uint64_t thread_times_read(struct target_thread *t)
{
	char text[64];
	ssize_t nr;

	if (t->stat_fd < 0)
		open_stat(t);
	nr = t->stat_fd < 0 ? -1 : pread(t->stat_fd, text, sizeof(text) - 1, 0);
	if (t->stat_fd >= kept_fds()) {
		close(t->stat_fd);
		t->stat_fd = -1;
	}
	if (nr <= 0)
		return t->ran_ns;
	text[nr] = '\0';
	return strtoull(text, NULL, 10);
}

bool thread_times_runs(struct target_thread *t, const u32_vec *possible, struct looker *looker)
{
	char stat[PROC_STAT_SIZE];
	struct thread_ticks ticks;
	size_t at;
	int on, nr;

	if (proc_stat_read(looker, t->pid, t->tid, stat))
		return false;
	/* Fields 14, 15 and 39 (proc_pid_stat(5)). */
	nr = sscanf(
		stat,
		"%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64
		" %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
		&ticks.user, &ticks.kernel, &on);
	if (nr >= 2) {
		if (!t->ticks.user && !t->ticks.kernel)
			t->first_ticks = ticks;
		t->ticks = ticks;
	}
	if (nr == 3 && cpus_find(possible, on, &at))
		t->cpu = at;
	return stat[0] == 'R';
}

bool thread_times_has_ended(uint32_t pid, uint32_t tid, struct looker *looker)
{
	char stat[PROC_STAT_SIZE];

	return proc_stat_read(looker, pid, tid, stat) || stat[0] == 'Z' || stat[0] == 'X';
}
