// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose files are, by who mounted what has them. */
#include "record/looks/file_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "tests/unit/suite.h"

#define USER 65534

static const char *dir;
static pid_t child;

/* In a child: mounts a file system in new namespaces, says how that went, and waits for its end. */
static void mount_there(int flags, int out)
{
	int error = 0;

	if (unshare(flags | CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, NULL))
		error = errno;
	if (write(out, &error, sizeof(error)) == sizeof(error))
		pause();
	_exit(1);
}

/*
 * A child that is @user mounts a file system in namespaces of @flags, too. Returns false if it may
 * not.
 */
static bool start_child(uid_t user, int flags)
{
	int ends[2], error = 0;

	ck_assert_int_eq(chmod(dir, 0755), 0);
	ck_assert_int_eq(chmod(suite_dir, 0755), 0);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		if (user && (setresgid(user, user, user) || setresuid(user, user, user)))
			_exit(1);
		mount_there(flags, ends[1]);
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &error, sizeof(error)), sizeof(error));
	close(ends[0]);
	return !error;
}

/* The owner of the root of what the child has mounted, which @place maps. It says that it is
 * root's. */
static uint32_t owner_there(const struct file_place *place)
{
	char path[PATH_MAX];
	struct stat st;
	uint32_t owner;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)child, dir);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	st.st_uid = 0;
	owner = file_owner(fd, &st, place);
	close(fd);
	return owner;
}

static void end(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
}

static void begin(void)
{
	dir = enter_new_dir();
}

START_TEST(own_files)
{
	const struct file_place place = {.pid = (uint32_t)getpid()}, gone = {.pid = 0x7fffffff};
	struct stat st;
	int fd;

	write_file("file", "x");
	fd = open("file", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(file_owner(fd, &st, &place), st.st_uid);
	st.st_uid = 7;
	ck_assert_uint_eq(file_owner(fd, &st, &place), 7);
	/* Who maps the file is no matter where the recorder itself has it. */
	ck_assert_uint_eq(file_owner(fd, &st, &gone), 7);
	close(fd);
}
END_TEST

/* A container's file systems, as engines with root's rights make them. */
START_TEST(files_of_another_namespace)
{
	struct file_place place = {0};

	if (!start_child(0, 0))
		SKIP_TEST("this user may not mount");
	place.pid = (uint32_t)child;
	ck_assert_uint_eq(owner_there(&place), 0);
	/* The process has ended, and its parent lives there. */
	place.pid = 0x7fffffff;
	ck_assert_uint_ne(owner_there(&place), 0);
	place.ancestors[1] = (uint32_t)child;
	ck_assert_uint_eq(owner_there(&place), 0);
}
END_TEST

/* What is mounted in a user namespace may say what it likes. */
START_TEST(files_of_users)
{
	const uid_t user = geteuid() ? 0 : USER;
	struct file_place place = {.pid = (uint32_t)getpid()};

	if (!start_child(user, CLONE_NEWUSER))
		SKIP_TEST("users may not make namespaces");
	ck_assert_uint_ne(owner_there(&place), 0);
	place.pid = (uint32_t)child;
	ck_assert_uint_eq(owner_there(&place), user ? user : geteuid());
}
END_TEST

/* Root in a user namespace is not believed to be the host's. */
START_TEST(files_of_roots_own_namespace)
{
	struct file_place place = {0};

	if (geteuid())
		SKIP_TEST("it is not run by root");
	if (!start_child(0, CLONE_NEWUSER))
		SKIP_TEST("root may not make user namespaces");
	place.pid = (uint32_t)child;
	ck_assert_uint_eq(owner_there(&place), FILE_OWNER_UNSURE);
}
END_TEST

SUITE_MAIN_WITH("file_owner", begin, end, own_files, files_of_another_namespace, files_of_users,
		files_of_roots_own_namespace)
