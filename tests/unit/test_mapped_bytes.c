// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/mapped_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define PAGE 4096

/* More than the pieces of memory that a process may have (vm.max_map_count is 65530). */
#define MANY_PAGES 160000

static int fd;

static void begin(void)
{
	fd = memfd_create("file", MFD_CLOEXEC);
	ck_assert_int_ge(fd, 0);
}

static void end(void)
{
	close(fd);
}

static void make_file(size_t pages)
{
	ck_assert_int_eq(ftruncate(fd, pages * PAGE), 0);
}

static void put_byte(size_t off, uint8_t byte)
{
	ck_assert_int_eq(pwrite(fd, &byte, 1, off), 1);
}

START_TEST(bytes)
{
	struct mapped_bytes b = {0};

	make_file(3);
	put_byte(5000, 7);
	ck_assert_int_eq(mapped_bytes_get(fd, 4990, 100, &b), 0);
	ck_assert_uint_eq(b.size, 100);
	ck_assert_uint_eq(b.data[10], 7);
	mapped_bytes_release(&b);
	ck_assert_ptr_null(b.data);
	mapped_bytes_release(&b);
	ck_assert_int_eq(mapped_bytes_get(fd, 0, 0, &b), -EIO);
	ck_assert_int_eq(mapped_bytes_get(fd, 3 * PAGE - 1, 2, &b), -EIO);
	ck_assert_int_eq(mapped_bytes_get(fd, UINT64_MAX, 1, &b), -EIO);
	ck_assert_int_eq(mapped_bytes_get(fd, 1, UINT64_MAX, &b), -EIO);
}
END_TEST

/* Every second page, so that the kernel can join no two that were mended. */
START_TEST(many_pages_are_cut)
{
	struct mapped_bytes b = {0};
	uint64_t sum = 0;

	make_file(MANY_PAGES);
	ck_assert_int_eq(mapped_bytes_get(fd, 0, (uint64_t)MANY_PAGES * PAGE, &b), 0);
	make_file(0);
	for (size_t page = 0; page < MANY_PAGES; page += 2)
		sum += b.data[page * PAGE];
	ck_assert_uint_eq(sum, 0);
	mapped_bytes_release(&b);
}
END_TEST

START_TEST(others_stay)
{
	struct mapped_bytes first = {0}, second = {0}, third = {0};

	make_file(3);
	for (size_t page = 0; page < 3; page++)
		put_byte(page * PAGE, page + 1);
	ck_assert_int_eq(mapped_bytes_get(fd, 0, PAGE, &first), 0);
	ck_assert_int_eq(mapped_bytes_get(fd, PAGE, PAGE, &second), 0);
	ck_assert_int_eq(mapped_bytes_get(fd, 2 * PAGE, PAGE, &third), 0);
	mapped_bytes_release(&second);
	make_file(1);
	ck_assert_uint_eq(third.data[0], 0);
	ck_assert_uint_eq(first.data[0], 1);
	mapped_bytes_release(&first);
	mapped_bytes_release(&third);
}
END_TEST

/* Memory of somebody else, where a page of zeros would hide a defect. */
START_TEST(foreign_memory)
{
	struct mapped_bytes b = {0};
	int status;
	pid_t pid;

	make_file(2);
	ck_assert_int_eq(mapped_bytes_get(fd, 0, PAGE, &b), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		const struct rlimit no_core = {0};
		const volatile uint8_t *map;

		setrlimit(RLIMIT_CORE, &no_core);
		map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
		if (ftruncate(fd, PAGE))
			_exit(1);
		_exit(map[PAGE] ? 2 : 3);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	mapped_bytes_release(&b);
}
END_TEST

#define NR_THREADS 4
#define NR_ROUNDS  2000

/* Maps, cuts and releases a file of its own. Says in @arg, a text, if something was wrong. */
static void *cut_and_read(void *arg)
{
	int own = memfd_create("file", MFD_CLOEXEC);
	const char **defect = arg;

	for (size_t i = 0; i < NR_ROUNDS && !*defect; i++) {
		struct mapped_bytes parts[3] = {0};
		uint64_t sum = 0;

		if (ftruncate(own, 4 * PAGE))
			*defect = "no file";
		for (size_t p = 0; p < 3; p++)
			if (mapped_bytes_get(own, p * PAGE, 2 * PAGE, &parts[p]))
				*defect = "no mapping";
		if (ftruncate(own, PAGE))
			*defect = "no end";
		for (size_t p = 0; p < 3 && !*defect; p++) {
			sum += parts[p].data[PAGE];
			mapped_bytes_release(&parts[p]);
		}
		if (sum)
			*defect = "zeros are missing";
	}
	close(own);
	return NULL;
}

START_TEST(several_threads)
{
	const char *defects[NR_THREADS] = {0};
	pthread_t threads[NR_THREADS];

	for (size_t i = 0; i < NR_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, cut_and_read, &defects[i]), 0);
	for (size_t i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_msg(!defects[i], "%s", defects[i]);
	}
}
END_TEST

SUITE_MAIN_WITH("mapped_bytes", begin, end, bytes, many_pages_are_cut, others_stay, foreign_memory,
		several_threads)
