// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/safe_open.h"
#include "format/prof.h"
#include "record/proc/proc_info.h"
#include "record/proc/proc_task.h"
#include "record/symbols/perf_map.h"

/* Descriptors held. Each also keeps a file system of a container from going away. */
#define HELD_MAX 256

static struct jit_process *find_process(const struct jit *jit, uint64_t generation)
{
	index_for_each(&jit->by_generation, hash_u64(generation), i)
		if (jit->processes.data[i].generation == generation)
			return &jit->processes.data[i];
	return NULL;
}

/* Opens /tmp below the directory @root. Links never lead outside of @root. */
static int open_tmp(const char *root)
{
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (root_fd < 0)
		return -1;
	fd = safe_open_in_root(root_fd, "tmp", O_PATH | O_DIRECTORY);
	return fd < 0 ? -1 : fd;
}

static int open_tmp_of(uint32_t pid)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	return open_tmp(root);
}

void jit_init(struct jit *jit)
{
	*jit = (struct jit){.host_dir_fd = open_tmp("/")};
}

static void release_fd(struct jit *jit, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	jit->nr_held--;
}

void jit_deinit(struct jit *jit)
{
	vec_for_each(&jit->processes, process) {
		release_fd(jit, &process->dir_fd);
		release_fd(jit, &process->map_fd);
	}
	vec_free(&jit->processes);
	index_deinit(&jit->by_generation);
	cleanup_close(&jit->host_dir_fd);
	jit->host_dir_fd = -1;
}

/*
 * The time at which the process began its present program: its exec, or its start if that is not
 * known.
 */
static uint64_t begin_realtime_ns(const struct address_space *space)
{
	uint64_t now = clock_realtime_ns(), start;

	if (space->begin_ns)
		return now - (clock_monotonic_ns() - space->begin_ns);
	if (proc_start_ns(space->pid, &start))
		return 0;
	return now - (clock_boottime_ns() - start);
}

int jit_watch(struct jit *jit, const struct address_space *space)
{
	struct jit_process process = {
		.pid = space->pid, .generation = space->generation, .dir_fd = -1, .map_fd = -1};
	struct proc_identity identity;

	if (find_process(jit, space->generation))
		return 0;
	if (proc_identity_read(space->pid, &identity))
		return -ENOMEM;
	process.ns_pid = identity.ns_pid ? identity.ns_pid : space->pid;
	/*
	 * Nobody says whose a process was that has gone already. The recorder's own children have
	 * its user.
	 */
	process.uid = identity.uid != PROF_UID_UNKNOWN ? identity.uid : geteuid();
	process.since_realtime_ns = begin_realtime_ns(space);
	if (jit->nr_held < HELD_MAX)
		process.dir_fd = open_tmp_of(space->pid);
	if (index_push(&jit->by_generation, &jit->processes, hash_u64(process.generation),
		       process)) {
		cleanup_close(&process.dir_fd);
		return -ENOMEM;
	}
	jit->nr_held += process.dir_fd >= 0;
	return 0;
}

static bool maps_own_code(const struct address_spaces *spaces, const struct address_space *space)
{
	vec_for_each(&space->live, m)
		if (mapping_file(&spaces->files, m)->kind == MAPPED_ANON)
			return true;
	return false;
}

int jit_watch_all(struct jit *jit, const struct address_spaces *spaces)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < spaces->newest.nr; i++)
		if (maps_own_code(spaces, spaces->newest.data[i]))
			ret = jit_watch(jit, spaces->newest.data[i]);
	return ret;
}

int jit_fork(struct jit *jit, const struct address_space *parent, const struct address_space *child)
{
	return parent && child && find_process(jit, parent->generation) ? jit_watch(jit, child) : 0;
}

/* Opens the map: by the directory that is held, or else by the process, or on the host. */
static int open_map(const struct jit *jit, const struct jit_process *process)
{
	int fd = -ENOENT, dir_fd;

	if (process->dir_fd >= 0) {
		fd = perf_map_open(process->dir_fd, process->ns_pid, process->uid,
				   process->since_realtime_ns);
	} else if (!process->ended) {
		dir_fd = open_tmp_of(process->pid);
		if (dir_fd >= 0) {
			fd = perf_map_open(dir_fd, process->ns_pid, process->uid,
					   process->since_realtime_ns);
			close(dir_fd);
		}
	}
	if (fd < 0 && jit->host_dir_fd >= 0)
		fd = perf_map_open(jit->host_dir_fd, process->pid, process->uid,
				   process->since_realtime_ns);
	return fd;
}

/* Has the program after an exec written the map? Then its lines may be of other code. */
static bool is_of_next_program(const struct jit_process *process, int fd)
{
	struct stat st;

	return process->until_realtime_ns &&
	       (fstat(fd, &st) || (uint64_t)(st.st_mtim.tv_sec * (int64_t)NS_PER_S +
					     st.st_mtim.tv_nsec) > process->until_realtime_ns);
}

void jit_end(struct jit *jit, const struct address_space *space, uint64_t exec_realtime_ns)
{
	struct jit_process *process = space ? find_process(jit, space->generation) : NULL;

	if (!process || process->ended)
		return;
	if (process->dir_fd >= 0 || jit->nr_held < HELD_MAX) {
		int fd = open_map(jit, process);

		process->map_fd = fd < 0 ? -1 : fd;
		jit->nr_held += fd >= 0;
	}
	release_fd(jit, &process->dir_fd);
	process->until_realtime_ns = exec_realtime_ns;
	process->ended = true;
	process->checked = false;
}

bool jit_has_map(struct jit *jit, const struct address_space *space)
{
	struct jit_process *process = find_process(jit, space->generation);

	/*
	 * The side-band did not tell of its mapping, as when records were lost. Watch it from now
	 * on.
	 */
	if (!process) {
		if (jit_watch(jit, space))
			return false;
		process = find_process(jit, space->generation);
	}
	if (!process->checked && !process->has_map) {
		int fd = jit_open_map(jit, space->generation);

		process->has_map = fd >= 0;
		cleanup_close(&fd);
	}
	process->checked = true;
	process->is_hit |= process->has_map;
	return process->has_map;
}

int jit_open_map(const struct jit *jit, uint64_t generation)
{
	const struct jit_process *process = find_process(jit, generation);
	_cleanup_close_ int fd = -1;

	if (!process)
		return -ENOENT;
	if (process->map_fd < 0) {
		fd = open_map(jit, process);
	} else {
		fd = fcntl(process->map_fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
	}
	if (fd >= 0 && is_of_next_program(process, fd))
		return -ESTALE;
	return TAKE_FD(fd);
}

void jit_reset(struct jit *jit)
{
	vec_for_each(&jit->processes, process)
		process->is_hit = false;
}

int jit_forget(struct jit *jit, const struct address_spaces *spaces)
{
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < jit->processes.nr; i++) {
		struct jit_process *process = &jit->processes.data[i];

		process->checked = false;
		if (process->is_hit ||
		    address_spaces_has(spaces, process->pid, process->generation)) {
			jit->processes.data[nr++] = *process;
			continue;
		}
		release_fd(jit, &process->dir_fd);
		release_fd(jit, &process->map_fd);
	}
	if (nr == jit->processes.nr)
		return 0;
	jit->processes.nr = nr;
	index_clear(&jit->by_generation);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = index_insert(&jit->by_generation, hash_u64(jit->processes.data[i].generation),
				   i);
	return ret;
}
