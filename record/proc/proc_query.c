// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_query.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

/* struct procmap_query of include/uapi/linux/fs.h, which older headers lack. */
struct query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start, vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t vma_name_size; /* in: room; out: with the NUL, 0 when there is none */
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

#define QUERY                  _IOWR('f', 17, struct query) /* PROCMAP_QUERY */
#define QUERY_READABLE         0x01
#define QUERY_EXECUTABLE       0x04
#define QUERY_COVERING_OR_NEXT 0x10
#define QUERY_FILE_BACKED      0x20

static int ask(int fd, struct query *query, struct proc_map *map)
{
	query->size = sizeof(*query);
	if (ioctl(fd, QUERY, query))
		return -errno;
	*map = (struct proc_map){
		.start = query->vma_start,
		.end = query->vma_end,
		.pgoff = query->vma_offset,
		.dev = makedev(query->dev_major, query->dev_minor),
		.inode = query->inode,
		.readable = query->vma_flags & QUERY_READABLE,
		.executable = query->vma_flags & QUERY_EXECUTABLE,
	};
	return 0;
}

/* Finds the first mapping with @flags that ends above @addr, and its path. */
static int ask_path(int fd, uint64_t flags, uint64_t addr, char *name, struct proc_map *map)
{
	struct query query = {
		.query_flags = flags | QUERY_COVERING_OR_NEXT,
		.query_addr = addr,
		.vma_name_size = PATH_MAX,
		.vma_name_addr = (uintptr_t)name,
	};
	int ret = ask(fd, &query, map);

	if (!ret)
		map->path = query.vma_name_size ? name : "";
	return ret;
}

int proc_query_next(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map)
{
	return ask_path(fd, QUERY_EXECUTABLE, addr, name, map);
}

int proc_query_file(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map)
{
	return ask_path(fd, QUERY_FILE_BACKED, addr, name, map);
}

int proc_query_memory(int fd, uint64_t addr, char name[static PATH_MAX], struct proc_map *map)
{
	struct query query = {.query_flags = QUERY_COVERING_OR_NEXT, .query_addr = addr};
	int ret = ask(fd, &query, map);

	if (ret)
		return ret;
	map->path = "";
	return major(map->dev) ? 0 : ask_path(fd, 0, map->start, name, map);
}

int proc_query_readable(int fd, uint64_t addr, struct proc_map *map)
{
	struct query query = {.query_flags = QUERY_READABLE, .query_addr = addr};

	return ask(fd, &query, map);
}
