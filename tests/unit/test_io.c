// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/unit/suite.h"

/* Far more than a pipe holds: the kernel transfers it in parts. */
#define NR_BYTES (1 << 20)

static char *make_bytes(void)
{
	char *bytes = malloc(NR_BYTES);

	for (size_t i = 0; i < NR_BYTES; i++)
		bytes[i] = (char)(i * 7 + (i >> 8));
	return bytes;
}

/* What one process writes into a pipe, the other one reads whole. */
START_TEST(through_a_pipe)
{
	char *bytes = make_bytes(), *found = malloc(NR_BYTES), more;
	int fds[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		close(fds[0]);
		_exit(io_write_all(fds[1], bytes, NR_BYTES) ? 1 : 0);
	}
	close(fds[1]);
	ck_assert_int_eq(io_read_all(fds[0], found, NR_BYTES), 0);
	ck_assert_mem_eq(found, bytes, NR_BYTES);
	ck_assert_int_eq(io_read(fds[0], &more, 1), 0);
	ck_assert_int_eq(io_read_all(fds[0], &more, 1), -ENODATA);
	ck_assert_int_eq(io_read_all(fds[0], &more, 0), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(fds[0]);
	free(bytes);
	free(found);
}
END_TEST

START_TEST(from_a_place_in_a_file)
{
	char *bytes = make_bytes(), *found = malloc(NR_BYTES);
	int fd = memfd_create("file", MFD_CLOEXEC);

	ck_assert_int_eq(io_write_all(fd, bytes, NR_BYTES), 0);
	ck_assert_int_eq(io_pread(fd, found, 1000, 7), 1000);
	ck_assert_mem_eq(found, bytes + 7, 1000);
	ck_assert_int_eq(io_pread(fd, found, NR_BYTES, NR_BYTES - 9), 9);
	ck_assert_mem_eq(found, bytes + NR_BYTES - 9, 9);
	ck_assert_int_eq(io_pread(fd, found, 1, NR_BYTES), 0);
	ck_assert_int_eq(io_pread(fd, found, 1, UINT64_MAX), -EINVAL);
	close(fd);
	free(bytes);
	free(found);
}
END_TEST

START_TEST(errors)
{
	char byte = 0;
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(io_read(fd, &byte, 1), -EISDIR);
	ck_assert_int_eq(io_read_all(fd, &byte, 1), -EISDIR);
	ck_assert_int_eq(io_pread(fd, &byte, 1, 0), -EISDIR);
	ck_assert_int_eq(io_write_all(fd, &byte, 1), -EBADF);
	close(fd);
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(io_write_all(fd, &byte, 1), -ENOSPC);
	close(fd);
}
END_TEST

SUITE_MAIN("io", through_a_pipe, from_a_place_in_a_file, errors)
