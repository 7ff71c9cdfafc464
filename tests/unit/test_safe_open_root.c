// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of common/safe_open.c that only root can run: device nodes, and a system without /proc. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "common/safe_open.h"
#include "tests/unit/opens.h"
#include "tests/unit/suite.h"

/* Of /dev/null, which is harmless to open. */
#define NULL_MAJOR 1
#define NULL_MINOR 3

static const enum safe_open_lookup lookups[] = {SAFE_OPEN_FOLLOW, SAFE_OPEN_NO_LINK,
						SAFE_OPEN_IN_ROOT};

static int make_device(const char *path)
{
	return mknod(path, S_IFCHR | 0600, makedev(NULL_MAJOR, NULL_MINOR));
}

START_TEST(devices)
{
	int dir_fd = open(enter_new_dir(), O_PATH | O_DIRECTORY | O_CLOEXEC), watch;

	ck_assert_int_eq(make_device("device"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lookups); i++) {
		const struct safe_open_rules rules = {.lookup = lookups[i]};

		watch = opens_watch("device");
		ck_assert_int_eq(safe_open(dir_fd, "device", &rules), -EINVAL);
		ck_assert_msg(!opens_seen(watch), "a device was opened");
	}
	close(dir_fd);
}
END_TEST

/* In a child, whose root becomes the current directory. Returns an exit status. */
static int open_without_proc(void)
{
	int root_fd;

	if (chroot(".") || chdir("/") || !access("/proc", F_OK))
		return 1;
	root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < (int)ARRAY_SIZE(lookups); i++) {
		const struct safe_open_rules rules = {.lookup = lookups[i]};
		char bytes[8];

		if (read(safe_open(root_fd, "file", &rules), bytes, sizeof(bytes)) != 4)
			return 10 + i;
		if (safe_open(root_fd, "fifo", &rules) != -EINVAL)
			return 20 + i;
	}
	return 0;
}

START_TEST(without_proc)
{
	int status;
	pid_t pid;

	enter_new_dir();
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	write_file("file", "four");
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(open_without_proc());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

static const char *missing(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/device", suite_dir);
	return geteuid() || make_device(path) ? "device nodes take root and CAP_MKNOD" : NULL;
}

static const struct suite suite = {.name = "safe_open_root", .missing = missing};

SUITE_MAIN_OF(suite, devices, without_proc)
