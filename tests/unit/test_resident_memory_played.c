// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pages of a process are read. The test plays its memory, and what /proc tells of it. */
#include "record/looks/resident_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/readfile.h"
#include "record/proc/proc_query.h"
#include "record/looks/proc_task.h"
#include "tests/unit/suite.h"

#define PID 12
#define TID 34

#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)

/* The first page. */
#define START UINT64_C(0x7f0000000000)

static struct {
	uint64_t entry;    /* of all pages in pagemap */
	ssize_t entry_nr;  /* bytes of an entry that can be had */
	bool no_pagemap;   /* it cannot be opened */
	bool no_maps;      /* nor can maps */
	bool has_no_query; /* the kernel answers no questions about mappings, which have a text */
	const struct proc_map *maps;
	size_t nr_maps;
	const char *mounts, *own_mounts; /* of the process and of this one; NULL: not readable */
	uint64_t end;                    /* nothing can be read from here on; 0: all can */
	size_t nr_opens, nr_looks, nr_queries, nr_texts, nr_mounts, nr_reads, nr_threads;
} played;

static uint64_t page_bytes;
static struct resident_memory memory;

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
ssize_t __wrap_pread64(int fd, void *entry, size_t size, off_t off);
ssize_t __wrap_process_vm_readv(pid_t tid, const struct iovec *local, unsigned long nr_local,
				const struct iovec *remote, unsigned long nr_remote,
				unsigned long flags);
uint32_t __wrap_proc_living_thread(uint32_t pid);
int __wrap_proc_query_readable(int fd, uint64_t addr, struct proc_map *map);
int __wrap_proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx);
int __wrap_read_file(const char *path, size_t max, char_vec *text);

int __wrap_open64(const char *path, int flags, ...)
{
	char want[64];

	snprintf(want, sizeof(want), "/proc/%d/task/%d/%s", PID, TID, strrchr(path, '/') + 1);
	ck_assert_str_eq(path, want);
	if (strstr(path, "/pagemap") ? played.no_pagemap : played.no_maps) {
		errno = EACCES;
		return -1;
	}
	played.nr_opens++;
	return __real_open64("/dev/null", flags);
}

ssize_t __wrap_pread64(int fd, void *entry, size_t size, off_t off)
{
	ck_assert_int_eq(fd, memory.pages_fd);
	ck_assert_uint_eq(size, 8);
	ck_assert_uint_ge(off, START / page_bytes * 8);
	ck_assert_uint_eq(off % 8, 0);
	played.nr_looks++;
	if (played.entry_nr == sizeof(played.entry))
		memcpy(entry, &played.entry, sizeof(played.entry));
	return played.entry_nr;
}

/* Each byte is the last one of its address. */
ssize_t __wrap_process_vm_readv(pid_t tid, const struct iovec *local, unsigned long nr_local,
				const struct iovec *remote, unsigned long nr_remote,
				unsigned long flags)
{
	const uint64_t addr = (uintptr_t)remote->iov_base;
	size_t nr = 0;

	ck_assert_int_eq(tid, TID);
	ck_assert(nr_local == 1 && nr_remote == 1 && !flags);
	ck_assert_uint_eq(local->iov_len, remote->iov_len);
	ck_assert_uint_le(addr % page_bytes + local->iov_len, page_bytes);
	played.nr_reads++;
	for (; nr < local->iov_len && (!played.end || addr + nr < played.end); nr++)
		((uint8_t *)local->iov_base)[nr] = (uint8_t)(addr + nr);
	if (nr)
		return (ssize_t)nr;
	errno = EIO;
	return -1;
}

uint32_t __wrap_proc_living_thread(uint32_t pid)
{
	ck_assert_uint_eq(pid, PID);
	played.nr_threads++;
	return TID;
}

int __wrap_proc_query_readable(int fd, uint64_t addr, struct proc_map *map)
{
	ck_assert_int_eq(fd, memory.maps_fd);
	played.nr_queries++;
	for (size_t i = 0; i < played.nr_maps && !played.has_no_query; i++)
		if (addr >= played.maps[i].start && addr < played.maps[i].end) {
			*map = played.maps[i];
			return 0;
		}
	return played.has_no_query ? -ENOTTY : -ENOENT;
}

int __wrap_proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx)
{
	int ret = 0;

	(void)scratch;
	ck_assert_int_eq(fd, memory.maps_fd);
	played.nr_texts++;
	for (size_t i = 0; i < played.nr_maps && !ret; i++)
		ret = fn(ctx, &played.maps[i]);
	return ret;
}

int __wrap_read_file(const char *path, size_t max, char_vec *text)
{
	const char *mounts =
		strcmp(path, "/proc/self/mountinfo") ? played.mounts : played.own_mounts;

	ck_assert_uint_gt(max, 1 << 20);
	ck_assert(mounts == played.own_mounts || !strcmp(path, "/proc/12/task/34/mountinfo"));
	played.nr_mounts++;
	return mounts ? vec_append(text, mounts, strlen(mounts) + 1) : -EACCES;
}

static void begin(void)
{
	memset(&played, 0, sizeof(played));
	played.entry_nr = sizeof(played.entry);
	page_bytes = sysconf(_SC_PAGESIZE);
	memory = (struct resident_memory)RESIDENT_MEMORY_INIT(PID);
}

static void end(void)
{
	resident_memory_deinit(&memory);
	ck_assert_int_eq(memory.pages_fd, -1);
	ck_assert_int_eq(memory.maps_fd, -1);
}

static void begin_again(void)
{
	end();
	begin();
}

/* What a read gets. */
enum { BYTES, ZEROS, NOTHING };

static int kind_of_page(uint64_t addr)
{
	uint8_t byte = 0xff;
	long nr = resident_memory_read(&memory, addr, &byte, 1);

	ck_assert(nr == 1 || nr == -EFAULT);
	if (nr < 0)
		return NOTHING;
	return byte ? BYTES : ZEROS;
}

#define MAP_AT(addr, of_dev, of_inode)                                                             \
	{                                                                                          \
		.start = (addr), .end = (addr) + 4 * page_bytes, .dev = (of_dev),                  \
		.inode = (of_inode), .readable = true, .path = "/file"                             \
	}

/* Of a page that has its bytes, nobody asks where they are from. */
START_TEST(pages_of_each_kind)
{
	const struct proc_map memory_map = MAP_AT(START, 0, 0), local = MAP_AT(START, 9, 1),
			      far = MAP_AT(START, 8, 1), of_inode = MAP_AT(START, 0, 1),
			      of_device = MAP_AT(START, 8, 0);
	const struct {
		uint64_t entry;
		ssize_t entry_nr;
		bool no_pagemap;
		const struct proc_map *map;
		int kind;
	} cases[] = {
		{PRESENT, 8, false, &far, BYTES},
		{SWAPPED, 8, false, &far, BYTES},
		{PRESENT | SWAPPED, 8, false, NULL, BYTES},
		{~(PRESENT | SWAPPED), 8, false, &memory_map, ZEROS},
		{0, 8, false, &local, BYTES},
		{0, 8, false, &far, NOTHING},
		{0, 8, false, &of_inode, NOTHING},
		{0, 8, false, &of_device, NOTHING},
		{0, 8, false, NULL, NOTHING},
		{0, 0, false, &memory_map, NOTHING},
		{0, 7, false, &local, NOTHING},
		{0, -1, false, &local, NOTHING},
		{PRESENT, 8, true, &memory_map, BYTES},
		{PRESENT, 8, true, &local, BYTES},
		{PRESENT, 8, true, &far, NOTHING},
		{PRESENT, 8, true, NULL, NOTHING},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool is_known = cases[i].entry & (PRESENT | SWAPPED) && !cases[i].no_pagemap;

		begin_again();
		played.entry = cases[i].entry;
		played.entry_nr = cases[i].entry_nr;
		played.no_pagemap = cases[i].no_pagemap;
		played.maps = cases[i].map;
		played.nr_maps = cases[i].map ? 1 : 0;
		played.mounts = "1 0 0:9 / / rw - ext4 a rw\n2 0 0:8 / /b rw - nfs b rw\n";
		ck_assert_msg(kind_of_page(START + 7) == cases[i].kind, "case %zu", i);
		ck_assert_uint_eq(played.nr_reads, cases[i].kind == BYTES ? 1 : 0);
		ck_assert_uint_eq(played.nr_texts, 0);
		if (is_known)
			ck_assert_uint_eq(played.nr_queries, 0);
	}
}
END_TEST

/* A page that can be read is looked at once, unless another one takes its place. */
START_TEST(pages_that_are_known)
{
	const uint64_t other = START + RESIDENT_PAGES * page_bytes;
	const struct proc_map map = MAP_AT(START + 2 * page_bytes, 0, 0);

	played.entry = PRESENT;
	ck_assert_int_eq(kind_of_page(START + 1), BYTES);
	ck_assert_int_eq(kind_of_page(START + 2), BYTES);
	ck_assert_uint_eq(played.nr_looks, 1);
	ck_assert_int_eq(kind_of_page(START + page_bytes + 1), BYTES);
	ck_assert_int_eq(kind_of_page(START + 1), BYTES);
	ck_assert_uint_eq(played.nr_looks, 2);
	ck_assert_int_eq(kind_of_page(other + 1), BYTES);
	ck_assert_int_eq(kind_of_page(START + 1), BYTES);
	ck_assert_uint_eq(played.nr_looks, 4);
	ck_assert_uint_eq(played.nr_threads, 1);
	/* Somebody may write to a page of zeros any time. */
	played.entry = 0;
	played.maps = &map;
	played.nr_maps = 1;
	ck_assert_int_eq(kind_of_page(START + 2 * page_bytes + 1), ZEROS);
	ck_assert_int_eq(kind_of_page(START + 2 * page_bytes + 1), ZEROS);
	ck_assert_uint_eq(played.nr_looks, 6);
	ck_assert_uint_eq(played.nr_queries, 1);
	ck_assert_uint_eq(played.nr_opens, 2);
}
END_TEST

static void expect_bytes(uint64_t addr, size_t len, long want)
{
	uint8_t bytes[64];
	const long nr = resident_memory_read(&memory, addr, bytes, len);

	ck_assert_int_eq(nr, want);
	for (long i = 0; i < nr; i++)
		ck_assert_uint_eq(bytes[i], (uint8_t)(addr + i));
}

START_TEST(reads_over_pages)
{
	const uint64_t border = START + page_bytes;

	played.entry = PRESENT;
	expect_bytes(border - 5, 5, 5);
	ck_assert_uint_eq(played.nr_looks, 1);
	expect_bytes(border - 5, 6, 6);
	ck_assert_uint_eq(played.nr_looks, 2);
	expect_bytes(border, 64, 64);
	expect_bytes(border - 1, 0, 0);
	/* The kernel reads a part, or nothing. */
	played.end = border + 3;
	expect_bytes(border - 5, 20, 8);
	played.end = border;
	expect_bytes(border - 5, 20, 5);
	expect_bytes(border, 20, -EIO);
	played.end = border - 1;
	expect_bytes(border - 5, 20, 4);
}
END_TEST

/* A kernel that answers no questions has a text of all mappings, in their order. */
START_TEST(mappings_by_text)
{
	const struct proc_map maps[] = {
		MAP_AT(START, 0, 0),
		MAP_AT(START + 8 * page_bytes, 0, 0),
		{.start = START + 12 * page_bytes, .end = START + 13 * page_bytes}};
	const struct {
		uint64_t page;
		int kind;
	} cases[] = {{0, ZEROS}, {3, ZEROS},  {4, NOTHING},  {7, NOTHING},
		     {8, ZEROS}, {11, ZEROS}, {12, NOTHING}, {13, NOTHING}};

	played.has_no_query = true;
	played.maps = maps;
	played.nr_maps = ARRAY_SIZE(maps);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(kind_of_page(START + cases[i].page * page_bytes) == cases[i].kind,
			      "case %zu", i);
	/* The latest one is asked for once. */
	ck_assert_uint_eq(played.nr_texts, 6);
	ck_assert_ptr_null(memory.map.path);
	begin_again();
	played.no_maps = true;
	played.maps = maps;
	played.nr_maps = ARRAY_SIZE(maps);
	ck_assert_int_eq(kind_of_page(START), NOTHING);
	ck_assert_uint_eq(played.nr_queries, 0);
}
END_TEST

static int kind_of_file(uint64_t dev, const char *mounts, const char *own_mounts)
{
	const struct proc_map map = MAP_AT(START, dev, 1);

	begin_again();
	played.maps = &map;
	played.nr_maps = 1;
	played.mounts = mounts;
	played.own_mounts = own_mounts;
	return kind_of_page(START + 1);
}

/* Where the process lives a file system is known, or else where the recorder does. */
START_TEST(file_systems)
{
	static const char local[] = "1 0 0:9 / / rw - xfs a rw\n";
	static const char first[] = "1 0 0:9 / / rw - bcachefs a rw\n";
	static const char last[] = "1 0 0:9 / / rw - zfs a rw\n";
	static const char alike[] = "1 0 0:9 / / rw - ext a rw\n";
	static const char far[] = "1 0 0:9 / / rw - fuse a rw\n";
	static const char other[] = "1 0 0:8 / / rw - xfs a rw\n";
	static const struct {
		const char *mounts, *own;
		int kind;
		size_t nr_mounts;
	} cases[] = {
		{local, NULL, BYTES, 1},   {first, NULL, BYTES, 1},  {last, NULL, BYTES, 1},
		{alike, NULL, NOTHING, 1}, {far, local, NOTHING, 1}, {other, local, BYTES, 2},
		{NULL, local, BYTES, 2},   {NULL, far, NOTHING, 2},  {other, other, NOTHING, 2},
		{NULL, NULL, NOTHING, 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_msg(kind_of_file(9, cases[i].mounts, cases[i].own) == cases[i].kind,
			      "case %zu", i);
		ck_assert_uint_eq(played.nr_mounts, cases[i].nr_mounts);
	}
}
END_TEST

/* The latest device is remembered, whatever is known of it. */
START_TEST(devices_are_asked_for_once)
{
	const struct proc_map maps[] = {MAP_AT(START, 9, 1), MAP_AT(START + 4 * page_bytes, 8, 1)};

	played.mounts = "1 0 0:9 / / rw - xfs a rw\n2 0 0:8 / /b rw - nfs b rw\n";
	played.maps = maps;
	played.nr_maps = ARRAY_SIZE(maps);
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_int_eq(kind_of_page(START + i * page_bytes + 1), BYTES);
	ck_assert_uint_eq(played.nr_mounts, 1);
	ck_assert_uint_eq(played.nr_queries, 1);
	for (uint64_t i = 4; i < 8; i++)
		ck_assert_int_eq(kind_of_page(START + i * page_bytes + 1), NOTHING);
	ck_assert_uint_eq(played.nr_mounts, 2);
	ck_assert_uint_eq(played.nr_queries, 2);
}
END_TEST

SUITE_MAIN_WITH("resident_memory_played", begin, end, pages_of_each_kind, pages_that_are_known,
		reads_over_pages, mappings_by_text, file_systems, devices_are_asked_for_once)
