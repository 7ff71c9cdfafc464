// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/parse.h"

/* A thread without memory has no executable. Kernel threads have none either. */
static bool has_executable(uint32_t pid, uint32_t tid)
{
	char path[PROC_PATH_SIZE], target;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/exe", pid, tid);
	return readlink(path, &target, sizeof(target)) >= 0 || errno != ENOENT;
}

uint32_t proc_living_thread(uint32_t pid)
{
	char path[PROC_PATH_SIZE];
	uint32_t found = pid;
	struct dirent *entry;
	DIR *dir;

	if (has_executable(pid, pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && found == pid && (entry = readdir(dir))) {
		uint64_t tid;

		if (!parse_u64(entry->d_name, 1, INT32_MAX, &tid) && has_executable(pid, tid))
			found = tid;
	}
	if (dir)
		closedir(dir);
	return found;
}

void proc_path(uint32_t pid, const char *name, char path[static PROC_PATH_SIZE])
{
	uint32_t tid = proc_living_thread(pid);

	if (tid == pid)
		snprintf(path, PROC_PATH_SIZE, "/proc/%u/%s", pid, name);
	else
		snprintf(path, PROC_PATH_SIZE, "/proc/%u/task/%u/%s", pid, tid, name);
}

int proc_map_file_open(uint32_t pid, uint32_t tid, uint64_t start, uint64_t end, int flags)
{
	_cleanup_close_ int fd = -1;
	char path[PROC_PATH_SIZE + 32];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tid, start, end);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Directories of threads lack map_files, and another process may have the thread's id. */
	snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, tid);
	return tid != pid && access(path, F_OK) ? -ESRCH : TAKE_FD(fd);
}
