// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/output/outfile.h"
#include "tests/unit/suite.h"
#include "tests/unit/temp_files.h"

static void expect_refused(const char *path, int code, const char *text, const char *hint)
{
	struct outfile out;
	struct err err = {0};

	ck_assert_int_eq(outfile_open(&out, path, &err), code);
	ck_assert_str_eq(err.text, text);
	ck_assert_str_eq(err.hint, hint);
	ck_assert_int_eq(out.fd, -1);
	outfile_close(&out, true);
	ck_assert_str_eq(err.hint, hint);
}

static const char to_stdout_hint[] = "use '-o -' to write to standard output, and redirect that";

START_TEST(appears_when_published)
{
	char *dir = enter_temp();
	struct outfile out;
	struct err err = {0};
	struct stat st;

	umask(0);
	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert(!file_exists("a.prof"));
	ck_assert_int_eq(stat(part_name("a.prof"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(outfile_write(&out, "one ", 4), 0);
	ck_assert_int_eq(outfile_write(&out, "", 0), 0);
	ck_assert_int_eq(outfile_write(&out, "two", 3), 0);
	ck_assert(!file_exists("a.prof"));
	ck_assert_int_eq(outfile_publish(&out, &err), 0);
	expect_contents("a.prof", "one two");
	ck_assert(!file_exists(part_name("a.prof")));
	outfile_close(&out, false);
	expect_contents("a.prof", "one two");
	ck_assert_int_eq(out.fd, -1);
	ck_assert_str_eq(err.text, "");
	ck_assert_str_eq(err.hint, "");
	leave_temp(dir);
}
END_TEST

START_TEST(replaces_only_when_complete)
{
	char *dir = enter_temp();
	struct outfile out;
	struct err err = {0};

	write_file("a.prof", "old");
	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_int_eq(outfile_write(&out, "new", 3), 0);
	expect_contents("a.prof", "old");
	outfile_close(&out, false);
	expect_contents("a.prof", "old");
	ck_assert(!file_exists(part_name("a.prof")));
	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_int_eq(outfile_write(&out, "new", 3), 0);
	ck_assert_int_eq(outfile_publish(&out, &err), 0);
	outfile_close(&out, true);
	expect_contents("a.prof", "new");
	ck_assert_str_eq(err.hint, "");
	leave_temp(dir);
}
END_TEST

START_TEST(keeps_the_part_file)
{
	char *dir = enter_temp();
	struct outfile out;
	struct err err = {0};
	char hint[512];

	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_int_eq(outfile_write(&out, "part", 4), 0);
	outfile_close(&out, true);
	expect_contents(part_name("a.prof"), "part");
	ck_assert(!file_exists("a.prof"));
	snprintf(hint, sizeof(hint), "what was recorded until then is in '%s'; profrep reads it",
		 part_name("a.prof"));
	ck_assert_str_eq(err.hint, hint);
	leave_temp(dir);
}
END_TEST

START_TEST(refuses_what_is_no_regular_file)
{
	char *dir = enter_temp();

	ck_assert_int_eq(mkdir("directory", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	write_file("target", "precious");
	ck_assert_int_eq(symlink("target", "link"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	expect_refused("directory", -EINVAL,
		       "failed to write 'directory': it is not a regular file", to_stdout_hint);
	expect_refused("directory/", -EINVAL,
		       "failed to write 'directory/': it is not a regular file", to_stdout_hint);
	expect_refused("fifo", -EINVAL, "failed to write 'fifo': it is not a regular file",
		       to_stdout_hint);
	expect_refused("link", -EINVAL, "failed to write 'link': it is not a regular file",
		       to_stdout_hint);
	expect_refused("dangling", -EINVAL, "failed to write 'dangling': it is not a regular file",
		       to_stdout_hint);
	expect_refused("/dev/null", -EINVAL,
		       "failed to write '/dev/null': it is not a regular file", to_stdout_hint);
	expect_contents("target", "precious");
	ck_assert(!file_exists("nowhere"));
	leave_temp(dir);
}
END_TEST

START_TEST(refuses_what_cannot_be_created)
{
	char *dir = enter_temp();
	char text[512], name[300];

	snprintf(text, sizeof(text), "failed to create '%s': No such file or directory",
		 part_name("missing/a.prof"));
	expect_refused("missing/a.prof", -ENOENT, text, "");
	write_file("file", "");
	expect_refused("file/a.prof", -ENOTDIR, "failed to write 'file/a.prof': Not a directory",
		       "");
	/* Fits under its own name, but not with what the part file's has more. */
	memset(name, 'n', 250);
	name[250] = '\0';
	snprintf(text, sizeof(text), "failed to create '%s': File name too long", part_name(name));
	expect_refused(name, -ENAMETOOLONG, text, "");
	leave_temp(dir);
}
END_TEST

/* At the start, not when all is recorded and the rename fails. */
START_TEST(refuses_an_empty_name)
{
	char *dir = enter_temp();

	expect_refused("", -ENOENT, "failed to write '': No such file or directory", "");
	ck_assert(!file_exists(part_name("")));
	leave_temp(dir);
}
END_TEST

/* Somebody who may write to the directory waits for us with a link. */
START_TEST(does_not_follow_or_reuse_a_part_file)
{
	char *dir = enter_temp();
	struct outfile out;
	struct err err = {0};

	write_file("target", "precious");
	ck_assert_int_eq(symlink("target", part_name("a.prof")), 0);
	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_str_ne(out.part_path, part_name("a.prof"));
	ck_assert_int_eq(outfile_write(&out, "x", 1), 0);
	outfile_close(&out, false);
	expect_contents("target", "precious");
	ck_assert_int_eq(unlink(part_name("a.prof")), 0);
	write_file(part_name("a.prof"), "precious");
	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_int_eq(outfile_write(&out, "x", 1), 0);
	outfile_close(&out, false);
	expect_contents(part_name("a.prof"), "precious");
	leave_temp(dir);
}
END_TEST

START_TEST(reports_a_failing_rename)
{
	char *dir = enter_temp();
	struct outfile out;
	struct err err = {0};
	char text[512];

	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_int_eq(outfile_write(&out, "x", 1), 0);
	ck_assert_int_eq(mkdir("a.prof", 0700), 0); /* meanwhile */
	ck_assert_int_eq(outfile_publish(&out, &err), -EISDIR);
	snprintf(text, sizeof(text), "failed to rename '%s' to 'a.prof': Is a directory",
		 part_name("a.prof"));
	ck_assert_str_eq(err.text, text);
	outfile_close(&out, true);
	expect_contents(part_name("a.prof"), "x");
	leave_temp(dir);
}
END_TEST

/* No room: the limit on file sizes stands for a full disk. What fitted is there. */
START_TEST(no_room_for_the_file)
{
	char *dir = enter_temp();
	struct rlimit limit = {.rlim_cur = 10000, .rlim_max = RLIM_INFINITY}, before;
	static char data[6000];
	struct outfile out;
	struct err err = {0};
	struct stat st;
	char text[512];

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	ck_assert_int_eq(outfile_open(&out, "a.prof", &err), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(outfile_write(&out, data, sizeof(data)), 0);
	ck_assert_int_eq(outfile_write(&out, data, sizeof(data)), -EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	snprintf(text, sizeof(text), "failed to write '%s': File too large", part_name("a.prof"));
	ck_assert_str_eq(err.text, text);
	outfile_close(&out, true);
	ck_assert_int_eq(stat(part_name("a.prof"), &st), 0);
	ck_assert_int_eq(st.st_size, 10000);
	ck_assert_ptr_nonnull(strstr(err.hint, part_name("a.prof")));
	ck_assert_str_eq(err.text, text);
	leave_temp(dir);
}
END_TEST

/* Makes @fd standard output until restore_stdout. */
static int replace_stdout(int fd)
{
	int before = dup(STDOUT_FILENO);

	fflush(stdout);
	ck_assert_int_ge(before, 0);
	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	close(fd);
	return before;
}

static void restore_stdout(int before)
{
	ck_assert_int_eq(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
	close(before);
}

/* What writing to standard output says when that is @fd, and publish and close after it. */
static int write_to(int fd, struct err *err)
{
	int before = replace_stdout(fd), ret;
	struct outfile out;

	ret = outfile_open(&out, "-", err);
	if (!ret)
		ret = outfile_write(&out, "text", 4);
	if (!ret)
		ret = outfile_publish(&out, err);
	outfile_close(&out, true);
	restore_stdout(before);
	return ret;
}

START_TEST(standard_output)
{
	char *dir = enter_temp();
	struct err err = {0};

	ck_assert_int_eq(write_to(open("out", O_WRONLY | O_CREAT, 0600), &err), 0);
	expect_contents("out", "text");
	ck_assert(!file_exists("-"));
	ck_assert_str_eq(err.hint, "");
	leave_temp(dir);
}
END_TEST

START_TEST(standard_output_is_full)
{
	struct err err = {0};

	ck_assert_int_eq(write_to(open("/dev/full", O_WRONLY), &err), -ENOSPC);
	ck_assert_str_eq(err.text, "failed to write 'standard output': No space left on device");
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(standard_output_is_a_broken_pipe)
{
	struct err err = {0};
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	ck_assert_int_eq(write_to(fds[1], &err), -EPIPE);
	ck_assert_str_eq(err.text, "failed to write 'standard output': Broken pipe");
}
END_TEST

START_TEST(standard_output_is_a_terminal)
{
	struct err err = {0};
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	ck_assert_int_eq(write_to(slave, &err), -EINVAL);
	ck_assert_str_eq(err.text, "failed to write to standard output: it is a terminal");
	ck_assert_str_eq(err.hint, "redirect it, or pipe it into 'profrep -'");
	close(master);
}
END_TEST

START_TEST(standard_output_is_closed)
{
	struct err err = {0};
	struct outfile out;
	int before = replace_stdout(open("/dev/null", O_WRONLY)), ret;

	close(STDOUT_FILENO);
	ret = outfile_open(&out, "-", &err);
	outfile_close(&out, false);
	restore_stdout(before);
	ck_assert_int_eq(ret, -EBADF);
	ck_assert_str_eq(err.text, "failed to write to standard output: Bad file descriptor");
}
END_TEST

/* A pipe that is non-blocking and too small: all of it arrives all the same. */
START_TEST(a_full_pipe_is_waited_for)
{
	enum { BYTES = 1 << 20 };
	static unsigned char data[BYTES], buf[4096];
	struct err err = {0};
	int fds[2], status;
	pid_t reader;

	for (size_t i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 31 >> 3);
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	reader = fork();
	if (!reader) {
		size_t at = 0;
		ssize_t n;

		close(fds[1]);
		while ((n = read(fds[0], buf, sizeof(buf))) > 0) {
			if (at + n > BYTES || memcmp(buf, data + at, n))
				_exit(1);
			at += n;
		}
		_exit(at != BYTES);
	}
	close(fds[0]);
	{
		struct outfile out = {.fd = fds[1], .err = &err};

		ck_assert_int_eq(outfile_write(&out, data, BYTES), 0);
		outfile_close(&out, false);
	}
	ck_assert_int_eq(waitpid(reader, &status, 0), reader);
	ck_assert_int_eq(status, 0);
}
END_TEST

struct waits {
	int nr, until; /* fails from the call with this number on */
};

static int count_wait(void *ctx, int fd)
{
	struct waits *waits = ctx;

	ck_assert_int_ge(fd, 0);
	return waits->nr++ == waits->until ? -EINTR : 0;
}

/* With a wait, each write is preceded by one, and no larger than what a pipe takes at once. */
START_TEST(waits_before_each_write)
{
	static const unsigned char data[3 * PIPE_BUF + 1];
	struct waits waits = {.until = 4};
	struct err err = {0};
	int fds[2];
	struct outfile out = {.err = &err, .wait = count_wait, .wait_ctx = &waits};

	ck_assert_int_eq(pipe(fds), 0);
	out.fd = fds[1];
	ck_assert_int_eq(outfile_write(&out, data, sizeof(data)), 0);
	ck_assert_int_eq(waits.nr, 4);
	ck_assert_int_eq(outfile_write(&out, data, 1), -EINTR);
	ck_assert_str_eq(err.text, ""); /* whoever waits says why */
	outfile_close(&out, false);
	close(fds[0]);
}
END_TEST

static void publish_new(const char *path, const char *text, const char *want)
{
	struct outfile out;
	struct err err = {0};

	ck_assert_int_eq(outfile_open_new(&out, path, &err), 0);
	ck_assert_int_eq(outfile_write(&out, text, strlen(text)), 0);
	ck_assert_int_eq(outfile_publish(&out, &err), 0);
	ck_assert_str_eq(out.path, want);
	outfile_close(&out, false);
	expect_contents(want, text);
}

/* Files, directories and links that are there stay what they are. */
START_TEST(a_new_file_replaces_nothing)
{
	char *dir = enter_temp();

	write_file("a.prof", "old");
	ck_assert_int_eq(mkdir("a_1.prof", 0700), 0);
	ck_assert_int_eq(symlink("nowhere", "a_2.prof"), 0);
	publish_new("a.prof", "one", "a_3.prof");
	publish_new("a.prof", "two", "a_4.prof");
	publish_new("b.prof", "three", "b.prof");
	expect_contents("a.prof", "old");
	ck_assert(!file_exists("nowhere"));
	ck_assert(!file_exists(part_name("a.prof")));
	leave_temp(dir);
}
END_TEST

SUITE_MAIN("outfile", a_new_file_replaces_nothing, appears_when_published,
	   replaces_only_when_complete, keeps_the_part_file, refuses_what_is_no_regular_file,
	   refuses_what_cannot_be_created, refuses_an_empty_name,
	   does_not_follow_or_reuse_a_part_file, reports_a_failing_rename, no_room_for_the_file,
	   standard_output, standard_output_is_full, standard_output_is_a_broken_pipe,
	   standard_output_is_a_terminal, standard_output_is_closed, a_full_pipe_is_waited_for,
	   waits_before_each_write)
