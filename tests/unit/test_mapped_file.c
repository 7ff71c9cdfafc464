// SPDX-License-Identifier: GPL-2.0-or-later
/* A file of a process that has ended is opened through those that started it. Takes root. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "record/looks/mapped_file.h"
#include "tests/unit/suite.h"

/* A process whose root is the current directory. */
static pid_t start_in_root(void)
{
	int is_there[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(is_there), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (!chroot(".") && write(is_there[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(is_there[1]);
	ck_assert_int_eq(read(is_there[0], &byte, 1), 1);
	close(is_there[0]);
	return pid;
}

static void stop(pid_t pid)
{
	int status;

	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
}

/* The file "/file" in the current directory as a process says it that has this root. */
static struct mapped_file file_in_root(void)
{
	struct stat st;

	write_file("file", "text");
	ck_assert_int_eq(stat("file", &st), 0);
	return (struct mapped_file){.path = (char *)"/file",
				    .identity = file_identity_of_stat(&st)};
}

static bool is_opened(const struct mapped_file *file, const struct file_place *place)
{
	_cleanup_close_ int fd = mapped_file_open(NULL, file, place);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_ino == file->identity.inode;
}

START_TEST(through_ancestors)
{
	struct mapped_file file;
	struct file_place place = {.start = 0x1000, .end = 0x2000};
	pid_t ended, parent;

	enter_new_dir();
	file = file_in_root();
	ended = start_in_root();
	place.pid = (uint32_t)ended;
	ck_assert(is_opened(&file, &place));
	stop(ended);
	ck_assert(!is_opened(&file, &place));
	parent = start_in_root();
	place.ancestors[0] = (uint32_t)parent;
	ck_assert(is_opened(&file, &place));
	place.ancestors[0] = (uint32_t)ended;
	place.ancestors[1] = (uint32_t)parent;
	ck_assert(is_opened(&file, &place));
	stop(parent);
	ck_assert(!is_opened(&file, &place));
}
END_TEST

/* The parent may have changed its root: another file has the path there. */
START_TEST(another_file_in_the_root_of_an_ancestor)
{
	struct mapped_file file;
	struct file_place place = {.start = 0x1000, .end = 0x2000};
	pid_t ended, parent;

	enter_new_dir();
	file = file_in_root();
	ended = start_in_root();
	stop(ended);
	enter_new_dir();
	write_file("file", "text");
	parent = start_in_root();
	place.pid = (uint32_t)ended;
	place.ancestors[0] = (uint32_t)parent;
	ck_assert(!is_opened(&file, &place));
	stop(parent);
}
END_TEST

static const char *missing(void)
{
	return geteuid() ? "only root may change the root directory" : NULL;
}

static const struct suite suite = {.name = "mapped_file", .missing = missing};

SUITE_MAIN_OF(suite, through_ancestors, another_file_in_the_root_of_an_ancestor)
