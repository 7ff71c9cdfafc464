// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of a child, whose pages are of each kind. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "record/looks/resident_memory.h"
#include "tests/unit/suite.h"

static uint64_t page_bytes;
static pid_t child;
static struct resident_memory memory;

static void *map(size_t pages, int protection, int flags, int fd)
{
	void *p = mmap(NULL, pages * page_bytes, protection, flags, fd, 0);

	ck_assert_ptr_ne(p, MAP_FAILED);
	return p;
}

/* The child has the mappings that this process has by then. */
static void begin_child(void)
{
	child = fork();
	if (!child)
		for (;;)
			pause();
	memory = (struct resident_memory)RESIDENT_MEMORY_INIT(child);
}

static void begin(void)
{
	page_bytes = sysconf(_SC_PAGESIZE);
}

static void end(void)
{
	resident_memory_deinit(&memory);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static long read_at(const void *at, void *buf, size_t len)
{
	return resident_memory_read(&memory, (uintptr_t)at, buf, len);
}

START_TEST(used_pages)
{
	char *p = map(3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1), buf[16];

	memset(p, 'a', 3 * page_bytes);
	memcpy(p + page_bytes - 4, "12345678", 8);
	begin_child();
	ck_assert_int_eq(read_at(p + page_bytes - 4, buf, 8), 8);
	ck_assert_mem_eq(buf, "12345678", 8);
	ck_assert_int_eq(read_at(NULL, buf, 8), -EFAULT);
}
END_TEST

/* The read brings no page into the child's memory. */
START_TEST(a_page_that_was_never_used)
{
	char *p = map(2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1), buf[16];
	uint64_t entry = 0;
	char path[64];
	int fd;

	p[page_bytes - 1] = 'a';
	begin_child();
	ck_assert_int_eq(read_at(p + page_bytes - 1, buf, 3), 3);
	ck_assert_mem_eq(buf, "a\0\0", 3);
	snprintf(path, sizeof(path), "/proc/%d/pagemap", child);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(pread(fd, &entry, 8, ((uintptr_t)p / page_bytes + 1) * 8), 8);
	ck_assert_uint_eq(entry >> 63, 0);
	close(fd);
}
END_TEST

START_TEST(memory_that_may_not_be_read)
{
	char *p = map(3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1), buf[16];

	p[page_bytes - 1] = 'a';
	ck_assert_int_eq(mprotect(p + page_bytes, page_bytes, PROT_NONE), 0);
	ck_assert_int_eq(munmap(p + 2 * page_bytes, page_bytes), 0);
	begin_child();
	ck_assert_int_eq(read_at(p + page_bytes - 1, buf, 8), 1);
	ck_assert_int_eq(read_at(p + page_bytes, buf, 8), -EFAULT);
	ck_assert_int_eq(read_at(p + 2 * page_bytes, buf, 8), -EFAULT);
}
END_TEST

/* The file system of a memfd is mounted nowhere, so nobody knows who would be asked for a page. */
START_TEST(files_of_unknown_file_systems)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	char buf[16];
	char *p;

	ck_assert_int_eq(ftruncate(fd, 2 * page_bytes), 0);
	p = map(2, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	p[0] = 'a';
	begin_child();
	ck_assert_int_eq(read_at(p, buf, 1), 1);
	ck_assert_int_eq(buf[0], 'a');
	ck_assert_int_eq(read_at(p + page_bytes, buf, 1), -EFAULT);
	close(fd);
}
END_TEST

/* Pages of a program that it has not touched yet are on its disk. */
START_TEST(files_of_local_file_systems)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char magic[4];
	char *p;

	p = map(1, PROT_READ, MAP_PRIVATE, fd);
	begin_child();
	if (read_at(p, magic, 4) == -EFAULT)
		SKIP_TEST("the build directory is on no local file system");
	ck_assert_mem_eq(magic, "\177ELF", 4);
	close(fd);
}
END_TEST

SUITE_MAIN_WITH("resident_memory", begin, end, used_pages, a_page_that_was_never_used,
		memory_that_may_not_be_read, files_of_unknown_file_systems,
		files_of_local_file_systems)
