// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's answers about this very process agree with /proc/self/maps. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/readfile.h"
#include "record/proc/proc_query.h"
#include "tests/unit/suite.h"

static void *map_code(int fd, size_t pages)
{
	void *p = mmap(NULL, pages * 4096, PROT_READ | PROT_EXEC,
		       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, fd < 0 ? 0 : 4096);

	ck_assert_ptr_ne(p, MAP_FAILED);
	return p;
}

START_TEST(same_as_text)
{
	char name[PATH_MAX];
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), file;
	struct proc_map want, have;
	uint64_t addr = 0;
	size_t nr = 0;
	char_vec text = {0};

	/* A deleted file with a newline in its name, at an offset; code that is no file's. */
	enter_new_dir();
	file = open("od\nd file", O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	ck_assert_int_eq(ftruncate(file, 65536), 0);
	map_code(file, 3);
	map_code(-1, 2);
	ck_assert_int_eq(unlink("od\nd file"), 0);

	ck_assert_int_eq(read_fd(maps, 1 << 20, &text), 0);
	for (char *line = text.data; *line;) {
		line = proc_map_parse(line, &want);
		ck_assert_ptr_nonnull(line);
		if (!want.executable || want.start > INT64_MAX)
			continue; /* vsyscall is in the text alone */
		ck_assert_int_eq(proc_query_next(maps, addr, name, &have), 0);
		ck_assert_uint_eq(have.start, want.start);
		ck_assert_uint_eq(have.end, want.end);
		ck_assert_uint_eq(have.dev, want.dev);
		ck_assert_uint_eq(have.inode, want.inode);
		ck_assert_str_eq(have.path, want.path);
		ck_assert(have.executable);
		if (want.inode)
			ck_assert_uint_eq(have.pgoff, want.pgoff);
		addr = have.end;
		nr++;
	}
	ck_assert_int_eq(proc_query_next(maps, addr, name, &have), -ENOENT);
	ck_assert_uint_ge(nr, 5);
	vec_free(&text);
	close(file);
	close(maps);
}
END_TEST

/* The paths of memory are those of the text. Those of files on a device are left out. */
START_TEST(memory)
{
	char name[PATH_MAX];
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int file = memfd_create("memory file", MFD_CLOEXEC);
	struct proc_map want, have = {0};
	bool has_memory_file = false;
	char_vec text = {0};

	ck_assert_int_eq(ftruncate(file, 65536), 0);
	map_code(file, 3);
	ck_assert_int_eq(read_fd(maps, 1 << 20, &text), 0);
	for (char *line = text.data; *line;) {
		line = proc_map_parse(line, &want);
		ck_assert_ptr_nonnull(line);
		if (want.start > INT64_MAX)
			continue;
		ck_assert_int_eq(proc_query_memory(maps, have.end, name, &have), 0);
		ck_assert_uint_eq(have.start, want.start);
		/* The heap has grown since. */
		if (strcmp(want.path, "[heap]"))
			ck_assert_uint_eq(have.end, want.end);
		ck_assert_str_eq(have.path, major(want.dev) ? "" : want.path);
		has_memory_file |= !strncmp(want.path, "/memfd:memory file", 18);
	}
	ck_assert_int_eq(proc_query_memory(maps, have.end, name, &have), -ENOENT);
	ck_assert(has_memory_file);
	vec_free(&text);
	close(file);
	close(maps);
}
END_TEST

/* Files and what the kernel keeps as files, executable or not. */
START_TEST(files)
{
	char name[PATH_MAX];
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct proc_map want, have = {0};
	char_vec text = {0};

	map_code(-1, 2);
	ck_assert_int_eq(read_fd(maps, 1 << 20, &text), 0);
	for (char *line = text.data; *line;) {
		line = proc_map_parse(line, &want);
		ck_assert_ptr_nonnull(line);
		if (!want.inode)
			continue;
		ck_assert_int_eq(proc_query_file(maps, have.end, name, &have), 0);
		ck_assert_uint_eq(have.start, want.start);
		ck_assert_uint_eq(have.pgoff, want.pgoff);
		ck_assert_str_eq(have.path, want.path);
	}
	ck_assert_int_eq(proc_query_file(maps, have.end, name, &have), -ENOENT);
	vec_free(&text);
	close(maps);
}
END_TEST

START_TEST(not_that_kind_of_file)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char name[PATH_MAX];
	struct proc_map map;

	ck_assert_int_eq(proc_query_next(fd, 0, name, &map), -ENOTTY);
	close(fd);
}
END_TEST

static const char *missing(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char name[PATH_MAX];
	struct proc_map map;
	int ret = proc_query_next(fd, 0, name, &map);

	close(fd);
	return ret == -ENOTTY ? "PROCMAP_QUERY needs Linux 6.11" : NULL;
}

static const struct suite suite = {.name = "proc_query", .missing = missing};

SUITE_MAIN_OF(suite, same_as_text, memory, files, not_that_kind_of_file)
