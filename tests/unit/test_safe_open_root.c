// SPDX-License-Identifier: GPL-2.0-or-later
/* What of common/safe_open.c takes root to try: device nodes, and a system without /proc. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "common/safe_open.h"
#include "tests/unit/opens.h"
#include "tests/unit/skip.h"
#include "tests/unit/suite.h"

/* Of /dev/null, which is harmless to open. */
#define NULL_MAJOR 1
#define NULL_MINOR 3

static int make_device(const char *dir, char *path, size_t size)
{
	snprintf(path, size, "%s/device", dir);
	return mknod(path, S_IFCHR | 0600, makedev(NULL_MAJOR, NULL_MINOR)) ? -errno : 0;
}

START_TEST(devices)
{
	static const enum safe_open_lookup lookups[] = {SAFE_OPEN_FOLLOW, SAFE_OPEN_NO_LINK,
							SAFE_OPEN_IN_ROOT};
	char *dir = temp_create(), path[128];
	int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), watch;

	ck_assert_int_eq(make_device(dir, path, sizeof(path)), 0);
	for (size_t i = 0; i < sizeof(lookups) / sizeof(lookups[0]); i++) {
		const struct safe_open_rules rules = {.lookup = lookups[i]};

		watch = opens_watch(path);
		ck_assert_int_eq(safe_open(dir_fd, "device", &rules), -EINVAL);
		ck_assert_msg(!opens_seen(watch), "a device was opened");
	}
	close(dir_fd);
	temp_remove(dir);
}
END_TEST

/* In a child whose root is a directory with two files in it. Returns an exit status. */
static int open_without_proc(const char *dir)
{
	static const enum safe_open_lookup lookups[] = {SAFE_OPEN_FOLLOW, SAFE_OPEN_NO_LINK,
							SAFE_OPEN_IN_ROOT};
	int root_fd;

	if (chroot(dir) || chdir("/") || !access("/proc", F_OK))
		return 1;
	root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 3; i++) {
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
	char *dir = temp_create(), path[128];
	int fd, status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "four", 4), 4);
	close(fd);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(open_without_proc(dir));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	temp_remove(dir);
}
END_TEST

static bool can_make_devices(void)
{
	char dir[] = "/tmp/profrec-test-XXXXXX", path[128];
	bool made;

	if (geteuid() || !mkdtemp(dir))
		return false;
	made = !make_device(dir, path, sizeof(path));
	unlink(path);
	rmdir(dir);
	return made;
}

int main(void)
{
	const TTest *const tests[] = {devices, without_proc};

	if (!can_make_devices())
		return skip_all("safe_open_root", "device nodes take root and CAP_MKNOD");
	return suite_run("safe_open_root", NULL, 0, tests, sizeof(tests) / sizeof(tests[0]));
}
