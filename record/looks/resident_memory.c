// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/resident_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "common/readfile.h"
#include "record/proc/proc_mounts.h"
#include "record/proc/proc_path.h"
#include "record/proc/proc_query.h"

/* Of an entry of /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)

/* Most text of a mountinfo that is searched. A host with a thousand mounts has 200 KB. */
#define MOUNTS_BYTES_MAX (4 << 20)

/* What can be done with a page. */
enum page_state {
	PAGE_READ,  /* the kernel has its bytes */
	PAGE_ZEROS, /* nobody has written to it yet */
	PAGE_AVOID, /* somebody would be asked for its bytes, or it does not exist */
};

/* File systems that ask nobody but this host's kernel and disks. */
static const char *const local_types[] = {
	"bcachefs", "btrfs", "ext2",     "ext3",   "ext4",     "erofs", "f2fs", "iso9660", "jfs",
	"overlay",  "ramfs", "reiserfs", "rootfs", "squashfs", "tmpfs", "vfat", "xfs",     "zfs",
};

/* The thread by which the memory is read, for one look always the same one. */
static uint32_t reader_of(struct resident_memory *m)
{
	if (!m->tid)
		m->tid = proc_living_thread(m->pid);
	return m->tid;
}

static int open_proc(struct resident_memory *m, const char *name, int *fd)
{
	char path[PROC_PATH_SIZE];

	if (*fd >= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", m->pid, reader_of(m), name);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

/* Is the file system of @dev mounted, and local, where the process @who lives? */
static int is_local_for(const char *who, uint64_t dev)
{
	char type[PROC_MOUNT_TYPE_SIZE], path[64];
	char_vec text = {0};
	int ret = -1;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", who);
	if (!read_file(path, MOUNTS_BYTES_MAX, &text) && proc_mounts_type(text.data, dev, type)) {
		ret = 0;
		for (size_t i = 0; !ret && i < ARRAY_SIZE(local_types); i++)
			ret = !strcmp(type, local_types[i]);
	}
	vec_free(&text);
	return ret;
}

/* Before Linux 6.8, a mapping of overlayfs has the device below, which the process may not see. */
static bool is_local(struct resident_memory *m, uint64_t dev)
{
	char who[32];

	if (m->files.is_local < 0 || m->files.dev != dev) {
		snprintf(who, sizeof(who), "%u/task/%u", m->pid, reader_of(m));
		m->files.dev = dev;
		m->files.is_local = is_local_for(who, dev);
		if (m->files.is_local < 0)
			m->files.is_local = is_local_for("self", dev) > 0;
	}
	return m->files.is_local;
}

struct wanted_map {
	uint64_t addr;
	struct proc_map *map;
};

/* A proc_map_fn. */
static int take_covering(void *ctx, const struct proc_map *map)
{
	const struct wanted_map *wanted = ctx;

	if (wanted->addr >= map->end)
		return 0;
	if (wanted->addr < map->start || !map->readable)
		return -ENOENT;
	*wanted->map = *map;
	return 1;
}

/* Finds the mapping at @addr, if it may be read. Returns 0 or a negative errno. */
static int find_map(struct resident_memory *m, uint64_t addr)
{
	struct wanted_map wanted = {addr, &m->map};
	char_vec text = {0};
	int ret;

	if (addr >= m->map.start && addr < m->map.end)
		return 0;
	ret = open_proc(m, "maps", &m->maps_fd);
	if (!ret)
		ret = proc_query_readable(m->maps_fd, addr, &m->map);
	if (ret != -ENOTTY)
		return ret;
	ret = lseek(m->maps_fd, 0, SEEK_SET)
		      ? -EIO
		      : proc_maps_read(m->maps_fd, &text, take_covering, &wanted);
	vec_free(&text);
	m->map.path = NULL;
	return ret == 1 ? 0 : ret ? ret : -ENOENT;
}

/* A kernel without pagemap tells nothing of pages. Then their mapping decides. */
static enum page_state look_at_map(struct resident_memory *m, uint64_t page, bool has_pagemap)
{
	if (find_map(m, page))
		return PAGE_AVOID;
	if (!m->map.inode && !m->map.dev)
		return has_pagemap ? PAGE_ZEROS : PAGE_READ;
	return is_local(m, m->map.dev) ? PAGE_READ : PAGE_AVOID;
}

static enum page_state look_at_page(struct resident_memory *m, uint64_t page, uint64_t page_bytes)
{
	bool has_pagemap = !open_proc(m, "pagemap", &m->pages_fd);
	uint64_t entry = 0;
	ssize_t nr = 0;

	if (has_pagemap)
		nr = pread(m->pages_fd, &entry, sizeof(entry), page / page_bytes * sizeof(entry));
	if (nr == sizeof(entry) && entry & (PAGE_PRESENT | PAGE_SWAPPED))
		return PAGE_READ;
	return has_pagemap && nr != sizeof(entry) ? PAGE_AVOID : look_at_map(m, page, has_pagemap);
}

static long read_bytes(uint32_t tid, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = {.iov_base = buf, .iov_len = len};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
	ssize_t nr = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	return nr < 0 ? -errno : nr;
}

/* Reads @len bytes at @addr, which are in one page. */
static long read_in_page(struct resident_memory *m, uint64_t addr, void *buf, size_t len,
			 uint64_t page_bytes)
{
	uint64_t page = addr & -page_bytes;
	uint64_t *known = &m->pages[page / page_bytes % RESIDENT_PAGES];
	enum page_state state = PAGE_READ;

	if (*known != page || !page)
		state = look_at_page(m, page, page_bytes);
	if (state == PAGE_AVOID)
		return -EFAULT;
	if (state == PAGE_ZEROS) {
		memset(buf, 0, len);
		return len;
	}
	*known = page;
	return read_bytes(reader_of(m), addr, buf, len);
}

long resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len)
{
	uint64_t page_bytes = sysconf(_SC_PAGESIZE);

	for (size_t done = 0; done < len;) {
		uint64_t at = addr + done;
		size_t part = min_u64(len - done, page_bytes - at % page_bytes);
		long nr = read_in_page(m, at, (char *)buf + done, part, page_bytes);

		if (nr < 0)
			return done ? (long)done : nr;
		done += nr;
		if ((size_t)nr < part)
			return done;
	}
	return len;
}

void resident_memory_deinit(struct resident_memory *m)
{
	cleanup_close(&m->pages_fd);
	cleanup_close(&m->maps_fd);
	m->pages_fd = m->maps_fd = -1;
}
