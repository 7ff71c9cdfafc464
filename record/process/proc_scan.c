// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/proc_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/index.h"
#include "record/proc/proc_maps.h"
#include "record/proc/proc_query.h"
#include "record/proc/proc_task.h"

/* The files that a scan has looked at. It looks once at a file, whose path does not matter. */
struct seen_files {
	VEC(struct file_identity) identities;
	struct index by_inode;
};

/* A look at one process. Its mappings go to @mappings, their files to @files. */
struct scan {
	uint32_t pid;
	struct mapped_files *files;
	mapping_vec *mappings;
	char_vec *text; /* scratch space */
	struct seen_files *seen;
	size_t max;      /* mappings; 0: any number */
	size_t nr_lines; /* of the text of mappings, executable or not */
	bool is_of_addr; /* only the mapping at addr is wanted */
	uint64_t addr;
};

/*
 * A text lists all mappings, and most of them are not executable. It is read up to so many lines
 * for each mapping that is wanted.
 */
#define LINES_PER_MAPPING 16

static uint64_t hash_inode(const struct file_identity *identity)
{
	return hash_u64(identity->inode ^ identity->dev << 32);
}

/* Takes the identity from an earlier look at that device and inode. */
static void find_seen(const struct scan *scan, struct file_identity *identity)
{
	index_for_each(&scan->seen->by_inode, hash_inode(identity), i) {
		const struct file_identity *seen = &scan->seen->identities.data[i];

		if (seen->dev == identity->dev && seen->inode == identity->inode) {
			*identity = *seen;
			return;
		}
	}
}

/*
 * Notes the look at @file, of which the kernel said @told. Some file systems show one device and
 * inode for two files; they show a different device in stat.
 */
static int note_seen(const struct scan *scan, const struct file_identity *told,
		     const struct mapped_file *file)
{
	struct seen_files *seen = scan->seen;

	if (!file->identity.is_stat || file->identity.dev != told->dev)
		return 0;
	return index_push(&seen->by_inode, &seen->identities, hash_inode(told), file->identity);
}

static void forget_seen(struct seen_files *seen)
{
	vec_free(&seen->identities);
	index_deinit(&seen->by_inode);
}

static int add_map(const struct scan *scan, const struct proc_map *map)
{
	struct mapped_file_key key = {.path = map->path[0] ? map->path : "//anon",
				      .identity = {.dev = map->dev, .inode = map->inode}};
	const struct file_place place = {.pid = scan->pid, .start = map->start, .end = map->end};
	struct mapping mapping = {.start = map->start, .end = map->end, .pgoff = map->pgoff};
	int ret;

	if (scan->max && scan->mappings->nr >= scan->max)
		return -E2BIG;
	find_seen(scan, &key.identity);
	ret = mapped_files_look(scan->files, &key, &place, &mapping.file);
	if (!ret && !key.identity.is_stat)
		ret = note_seen(scan, &key.identity, mapping_file(scan->files, &mapping));
	if (ret)
		return ret;
	if (mapping_file(scan->files, &mapping)->kind != MAPPED_FILE)
		mapping.pgoff = 0;
	return map->start < map->end ? mappings_append(scan->mappings, &mapping) : 0;
}

/* Returns 0, or a negative errno: -ENOTTY when the kernel cannot be asked. */
static int scan_by_query(const struct scan *scan, int fd)
{
	char name[PATH_MAX];
	struct proc_map map;
	uint64_t addr = scan->addr;
	int ret;

	while (!(ret = proc_query_next(fd, addr, name, &map))) {
		if (scan->is_of_addr && map.start > scan->addr)
			return 0;
		ret = add_map(scan, &map);
		if (ret || scan->is_of_addr)
			return ret;
		addr = map.end;
	}
	return ret == -ENOENT ? 0 : ret;
}

/* A proc_map_fn. */
static int add_executable(void *ctx, const struct proc_map *map)
{
	struct scan *scan = ctx;

	if (scan->max && scan->nr_lines++ >= scan->max * LINES_PER_MAPPING)
		return -E2BIG;
	if (scan->is_of_addr && (scan->addr < map->start || scan->addr >= map->end))
		return 0;
	return map->executable ? add_map(scan, map) : 0;
}

static int scan_by_text(struct scan *scan, int fd)
{
	scan->nr_lines = 0;
	return proc_maps_read(fd, scan->text, add_executable, scan);
}

/*
 * Reads the mappings of thread @tid. Returns 0, -ESRCH for a kernel thread or one that is on its
 * way out, the errno of opening or reading the file, -E2BIG when there are more mappings than the
 * scan may read, or -ENOMEM.
 */
static int scan_thread(struct scan *scan, uint32_t tid)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	int ret;

	vec_clear(scan->mappings);
	snprintf(path, sizeof(path), "/proc/%u/task/%u/maps", scan->pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = scan_by_query(scan, fd);
	if (!ret || ret == -ENOMEM || ret == -ESRCH || ret == -E2BIG)
		return ret;
	vec_clear(scan->mappings);
	return scan_by_text(scan, fd);
}

/* As scan_thread, for the process. After an error there may be some of its mappings. */
static int scan_process(struct scan *scan)
{
	int ret = scan_thread(scan, scan->pid);
	uint32_t tid;

	if ((ret && ret != -ESRCH) || scan->mappings->nr || !proc_has_threads(scan->pid))
		return ret;
	/* A main thread that has ended maps nothing, whatever the others do. */
	tid = proc_other_thread(scan->pid);
	return tid ? scan_thread(scan, tid) : ret;
}

/* Adds the process of @scan to @spaces. Returns the result of scan_process. */
static int add_process(struct address_spaces *spaces, struct scan *scan, uint64_t time_ns)
{
	int scan_ret = scan_process(scan), ret = 0;

	vec_for_each(scan->mappings, mapping)
		if (!ret)
			ret = address_spaces_map(spaces, scan->pid, time_ns, mapping);
	if (ret || scan_ret)
		return ret ? ret : scan_ret;
	return address_spaces_trust(spaces, scan->pid, time_ns);
}

int proc_scan_process(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns, size_t max)
{
	mapping_vec mappings = {0};
	char_vec text = {0};
	struct seen_files seen = {0};
	struct scan scan = {.pid = pid,
			    .files = &spaces->files,
			    .mappings = &mappings,
			    .text = &text,
			    .seen = &seen,
			    .max = max};
	int ret = add_process(spaces, &scan, time_ns);

	forget_seen(&seen);
	vec_free(&mappings);
	vec_free(&text);
	return ret == -ENOMEM || ret == -E2BIG ? ret : 0;
}

/* Fills @mappings and @files by the rest of @scan. Returns 0, -E2BIG or -ENOMEM. */
static int scan_alone(struct scan *scan, struct mapped_files *files, mapping_vec *mappings)
{
	char_vec text = {0};
	struct seen_files seen = {0};
	int ret;

	scan->files = files;
	scan->mappings = mappings;
	scan->text = &text;
	scan->seen = &seen;
	ret = scan_process(scan);
	forget_seen(&seen);
	vec_free(&text);
	return ret == -ENOMEM || ret == -E2BIG ? ret : 0;
}

int proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files, mapping_vec *mappings)
{
	struct scan scan = {.pid = pid, .max = max};

	return scan_alone(&scan, files, mappings);
}

int proc_scan_mapping_at(uint32_t pid, uint64_t addr, struct mapped_files *files,
			 mapping_vec *mappings)
{
	struct scan scan = {.pid = pid, .is_of_addr = true, .addr = addr};

	return scan_alone(&scan, files, mappings);
}

static int scan_all(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden)
{
	mapping_vec mappings = {0};
	char_vec text = {0};
	struct seen_files seen = {0};
	struct scan scan = {
		.files = &spaces->files, .mappings = &mappings, .text = &text, .seen = &seen};
	int ret = 0;

	for (size_t i = 0; ret != -ENOMEM && i < pids->nr; i++) {
		scan.pid = pids->data[i];
		ret = add_process(spaces, &scan, 0);
		*nr_hidden += ret == -EACCES || ret == -EPERM;
	}
	forget_seen(&seen);
	vec_free(&mappings);
	vec_free(&text);
	return ret == -ENOMEM ? ret : 0;
}

int proc_scan(struct address_spaces *spaces, const u32_vec *pids, unsigned int *nr_hidden,
	      struct err *err)
{
	u32_vec all = {0};
	int ret = 0;

	*nr_hidden = 0;
	if (!pids->nr) {
		ret = proc_list(&all, err);
		pids = &all;
	}
	if (!ret && scan_all(spaces, pids, nr_hidden))
		ret = err_set(err, -ENOMEM,
			      "failed to read the processes' mappings: out of memory");
	vec_free(&all);
	return ret;
}
