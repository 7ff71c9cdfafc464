// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/symbols/perf_map.h"
#include "record/proc/proc_info.h"

/* Descriptors held; each also keeps a file system of a container from going away. */
#define HELD_MAX 256

/* Bytes of names in an epoch, so that no process can make one too large to be written. */
#define NAMES_MAX (4u << 20)

static uint64_t hash_generation(uint64_t generation)
{
	return (generation + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct jit_process *find(const struct jit *jit, uint64_t generation)
{
	index_for_each(&jit->by_generation, hash_generation(generation), i)
		if (jit->processes.data[i].generation == generation)
			return &jit->processes.data[i];
	return NULL;
}

/* /tmp below the directory @root, whatever links there are: never outside of @root. */
static int open_tmp(const char *root)
{
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	if (root_fd < 0)
		return -1;
	fd = syscall(SYS_openat2, root_fd, "tmp", &how, sizeof(how));
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

static void let_go(struct jit *jit, int *fd)
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
		let_go(jit, &process->dir_fd);
		let_go(jit, &process->map_fd);
	}
	vec_free(&jit->processes);
	index_deinit(&jit->by_generation);
	cleanup_close(&jit->host_dir_fd);
	jit->host_dir_fd = -1;
}

int jit_watch(struct jit *jit, const struct address_space *space)
{
	struct jit_process process = {
		.pid = space->pid, .generation = space->generation, .dir_fd = -1, .map_fd = -1};
	struct proc_identity identity;

	if (find(jit, space->generation))
		return 0;
	if (proc_identity_read(space->pid, &identity))
		return -ENOMEM;
	process.ns_pid = identity.ns_pid ? identity.ns_pid : space->pid;
	/* Of one that has gone already nobody says whose it was. Our own children are ours. */
	process.uid = identity.uid != PROF_UID_UNKNOWN ? identity.uid : geteuid();
	if (jit->nr_held < HELD_MAX)
		process.dir_fd = open_tmp_of(space->pid);
	if (index_insert(&jit->by_generation, hash_generation(process.generation),
			 jit->processes.nr) ||
	    vec_push(&jit->processes, process)) {
		cleanup_close(&process.dir_fd);
		return -ENOMEM;
	}
	jit->nr_held += process.dir_fd >= 0;
	return 0;
}

static bool maps_own_code(const struct address_spaces *spaces, const struct address_space *space)
{
	vec_for_each(&space->live, m)
		if (spaces->files.files.data[m->file].kind == MAPPED_ANON)
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
	return parent && child && find(jit, parent->generation) ? jit_watch(jit, child) : 0;
}

/* The map, found by the directory that is held or else by the process, or on the host. */
static int open_map(const struct jit *jit, const struct jit_process *process)
{
	int fd = -ENOENT, dir_fd;

	if (process->dir_fd >= 0) {
		fd = perf_map_open(process->dir_fd, process->ns_pid, process->uid);
	} else if (!process->ended) {
		dir_fd = open_tmp_of(process->pid);
		if (dir_fd >= 0) {
			fd = perf_map_open(dir_fd, process->ns_pid, process->uid);
			close(dir_fd);
		}
	}
	if (fd < 0 && jit->host_dir_fd >= 0)
		fd = perf_map_open(jit->host_dir_fd, process->pid, process->uid);
	return fd;
}

void jit_end(struct jit *jit, const struct address_space *space)
{
	struct jit_process *process = space ? find(jit, space->generation) : NULL;

	if (!process || process->ended)
		return;
	if (process->dir_fd >= 0 || jit->nr_held < HELD_MAX) {
		int fd = open_map(jit, process);

		process->map_fd = fd < 0 ? -1 : fd;
		jit->nr_held += fd >= 0;
	}
	let_go(jit, &process->dir_fd);
	process->ended = true;
	process->checked = false;
}

bool jit_has_map(struct jit *jit, const struct address_space *space)
{
	struct jit_process *process = find(jit, space->generation);

	/* Its mapping was not told of, as when records were lost: it is watched from now on. */
	if (!process) {
		if (jit_watch(jit, space))
			return false;
		process = find(jit, space->generation);
	}
	if (!process->checked && !process->has_map) {
		int fd = process->map_fd < 0 ? open_map(jit, process) : -1;

		process->has_map = fd >= 0 || process->map_fd >= 0;
		cleanup_close(&fd);
	}
	process->checked = true;
	process->in_epoch |= process->has_map;
	return process->has_map;
}

static int compare_hits(const void *pa, const void *pb)
{
	const struct perf_map_hit *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

typedef VEC(struct perf_map_hit) hit_vec;

/* What the frames of @object ask for: a leaf's address, and for a caller the byte before. */
static int gather_hits(const struct epoch_tables *tables, uint32_t object, hit_vec *hits)
{
	vec_clear(hits);
	vec_for_each(&tables->frames, frame) {
		struct perf_map_hit leaf = {.addr = frame->offset}, caller = leaf;

		if (frame->object != object)
			continue;
		caller.addr--;
		if (vec_push(hits, leaf) || vec_push(hits, caller))
			return -ENOMEM;
	}
	if (hits->nr)
		qsort(hits->data, hits->nr, sizeof(*hits->data), compare_hits);
	return 0;
}

static int add_names(struct epoch_tables *tables, uint32_t object, int fd, const hit_vec *hits,
		     size_t *names_left)
{
	const struct perf_map_hit *last = NULL;
	char name[PERF_MAP_NAME_MAX + 1];

	vec_for_each(hits, hit) {
		int ret;

		if (!hit->size || (last && hit->start == last->start))
			continue;
		if (hit->name_len > *names_left || tables->symbols.nr >= PROF_MAX_TABLE / 2)
			return 0;
		last = hit;
		perf_map_name(fd, hit, name);
		*names_left -= hit->name_len;
		if (!name[0])
			continue;
		ret = epoch_tables_symbol(tables, object, hit->start, hit->size, name);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_process(struct jit *jit, struct epoch_tables *tables, uint32_t object, hit_vec *hits,
		       size_t *names_left)
{
	_cleanup_close_ int opened = -1;
	const struct jit_process *process = NULL;
	int ret, fd;

	vec_for_each(&jit->processes, p)
		if (p->in_epoch &&
		    (uint32_t)(p->generation + 1) == tables->objects.data[object].instance)
			process = p;
	if (!process)
		return 0;
	fd = process->map_fd;
	if (fd < 0) {
		opened = fd = open_map(jit, process);
		if (fd < 0) {
			opened = -1;
			return 0;
		}
	}
	ret = gather_hits(tables, object, hits);
	if (!ret && hits->nr)
		ret = perf_map_lookup(fd, hits->data, hits->nr);
	/* What could be read stands. */
	return ret == -ENOMEM ? ret : add_names(tables, object, fd, hits, names_left);
}

int jit_add_symbols(struct jit *jit, struct epoch_tables *tables)
{
	size_t names_left = NAMES_MAX;
	hit_vec hits = {0};
	int ret = 0;

	for (uint32_t i = 0; !ret && i < tables->objects.nr; i++)
		if (tables->objects.data[i].kind == PROF_OBJECT_JIT)
			ret = add_process(jit, tables, i, &hits, &names_left);
	vec_free(&hits);
	return ret;
}

void jit_reset(struct jit *jit)
{
	vec_for_each(&jit->processes, process)
		process->in_epoch = false;
}

static bool is_known(const struct address_spaces *spaces, const struct jit_process *process)
{
	const struct address_space *space = address_spaces_find(spaces, process->pid, UINT64_MAX);

	while (space && space->generation != process->generation)
		space = space->older;
	return space;
}

int jit_forget(struct jit *jit, const struct address_spaces *spaces)
{
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < jit->processes.nr; i++) {
		struct jit_process *process = &jit->processes.data[i];

		process->checked = false;
		if (process->in_epoch || is_known(spaces, process)) {
			jit->processes.data[nr++] = *process;
			continue;
		}
		let_go(jit, &process->dir_fd);
		let_go(jit, &process->map_fd);
	}
	if (nr == jit->processes.nr)
		return 0;
	jit->processes.nr = nr;
	index_clear(&jit->by_generation);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = index_insert(&jit->by_generation,
				   hash_generation(jit->processes.data[i].generation), i);
	return ret;
}
