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

#include "record/output/outfile.h"
#include "tests/unit/heap.h"
#include "tests/unit/skip.h"
#include "tests/unit/suite.h"
#include "tests/unit/temp_files.h"

/* The output file of a test, which runs in a directory of its own, and its errors. */
static struct outfile out;
static struct err err;

static void begin(void)
{
	enter_new_dir();
	err = (struct err){0};
}

static void open_output(const char *path)
{
	ck_assert_int_eq(outfile_open(&out, path, &err), 0);
}

static void write_text(const char *text)
{
	ck_assert_int_eq(outfile_write(&out, text, strlen(text)), 0);
}

static void publish(void)
{
	ck_assert_int_eq(outfile_publish(&out, &err), 0);
}

static void expect_refused(const char *path, int code, const char *text, const char *hint)
{
	err = (struct err){0};
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
	struct stat st;

	umask(0);
	open_output("a.prof");
	ck_assert(!file_exists("a.prof"));
	ck_assert_int_eq(stat(part_name("a.prof"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	write_text("one ");
	write_text("");
	write_text("two");
	ck_assert(!file_exists("a.prof"));
	publish();
	expect_contents("a.prof", "one two");
	ck_assert(!file_exists(part_name("a.prof")));
	outfile_close(&out, false);
	expect_contents("a.prof", "one two");
	ck_assert_int_eq(out.fd, -1);
	ck_assert_str_eq(err.text, "");
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(replaces_only_when_complete)
{
	write_file("a.prof", "old");
	open_output("a.prof");
	write_text("new");
	expect_contents("a.prof", "old");
	outfile_close(&out, false);
	expect_contents("a.prof", "old");
	ck_assert(!file_exists(part_name("a.prof")));
	open_output("a.prof");
	write_text("new");
	publish();
	outfile_close(&out, true);
	expect_contents("a.prof", "new");
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(keeps_the_part_file)
{
	char hint[512];

	open_output("a.prof");
	write_text("part");
	outfile_close(&out, true);
	expect_contents(part_name("a.prof"), "part");
	ck_assert(!file_exists("a.prof"));
	snprintf(hint, sizeof(hint), "what was recorded until then is in '%s'; profrep reads it",
		 part_name("a.prof"));
	ck_assert_str_eq(err.hint, hint);
}
END_TEST

START_TEST(refuses_what_is_no_regular_file)
{
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	write_file("target", "precious");
	ck_assert_int_eq(symlink("fifo", "link"), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	expect_refused("directory", -EINVAL,
		       "failed to write 'directory': it is not a regular file", to_stdout_hint);
	expect_refused("directory/", -EINVAL,
		       "failed to write 'directory/': it is not a regular file", to_stdout_hint);
	expect_refused("fifo", -EINVAL, "failed to write 'fifo': it is not a regular file",
		       to_stdout_hint);
	expect_refused("link", -EINVAL, "failed to write 'link': it is not a regular file",
		       to_stdout_hint);
	expect_refused("loop", -ELOOP, "failed to write 'loop': Too many levels of symbolic links",
		       "");
	expect_refused("/dev/null", -EINVAL,
		       "failed to write '/dev/null': it is not a regular file", to_stdout_hint);
	expect_contents("target", "precious");
}
END_TEST

static void publish_to(const char *path, const char *text)
{
	open_output(path);
	write_text(text);
	publish();
	outfile_close(&out, false);
}

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* Links of one's own lead to the file, which may be missing, in another directory. */
START_TEST(writes_through_own_links)
{
	char absolute[PATH_MAX];

	ck_assert_int_eq(mkdir("directory", 0700), 0);
	write_file("directory/old", "old");
	ck_assert_int_eq(symlink("directory/old", "link"), 0);
	ck_assert_int_eq(symlink("../directory/new", "directory/dangling"), 0);
	ck_assert_int_eq(symlink("directory/dangling", "chain"), 0);
	ck_assert_ptr_nonnull(realpath("link", absolute));
	ck_assert_int_eq(symlink(absolute, "absolute"), 0);
	open_output("link");
	write_text("x");
	expect_contents("link", "old");
	ck_assert(file_exists(part_name("directory/old")));
	outfile_close(&out, false);
	publish_to("link", "one");
	expect_contents("directory/old", "one");
	publish_to("chain", "two");
	expect_contents("directory/new", "two");
	publish_to("absolute", "three");
	expect_contents("directory/old", "three");
	ck_assert(is_link("link") && is_link("chain") && is_link("directory/dangling") &&
		  is_link("absolute"));
}
END_TEST

/* Root must not be led to its files by others. */
START_TEST(refuses_links_of_others)
{
	if (geteuid())
		SKIP_TEST("it takes root to make a link of another user");
	write_file("target", "precious");
	ck_assert_int_eq(symlink("target", "link"), 0);
	ck_assert_int_eq(symlink("link", "own"), 0);
	ck_assert_int_eq(lchown("link", 1234, 1234), 0);
	setenv("SUDO_UID", "1234", 1);
	expect_refused("link", -EPERM,
		       "failed to write 'link': it is a symbolic link of another user, 1234",
		       "name the file that it leads to");
	expect_refused("own", -EPERM,
		       "failed to write './link': it is a symbolic link of another user, 1234",
		       "name the file that it leads to");
	expect_contents("target", "precious");
}
END_TEST

static void expect_owner(const char *path, uid_t uid, gid_t gid)
{
	struct stat st;

	publish_to(path, "x");
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert_uint_eq(st.st_uid, uid);
	ck_assert_uint_eq(st.st_gid, gid);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}

static void call_by_sudo(const char *uid, const char *gid)
{
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
}

START_TEST(sudo_gives_the_file_to_the_caller)
{
	if (geteuid())
		SKIP_TEST("it takes root to give files away");
	ck_assert_int_eq(mkdir("theirs", 0700), 0);
	ck_assert_int_eq(mkdir("ours", 0777), 0);
	ck_assert_int_eq(chown("theirs", 1234, 1235), 0);
	write_file("theirs/root.prof", "old");
	expect_owner("theirs/a.prof", 0, getegid());
	ck_assert_int_eq(unlink("theirs/a.prof"), 0);
	call_by_sudo("1234", "1235");
	expect_owner("theirs/a.prof", 1234, 1235);
	expect_owner("theirs/a.prof", 1234, 1235); /* it replaces the caller's */
	expect_owner("theirs/root.prof", 0, getegid());
	expect_owner("ours/a.prof", 0, getegid());
	call_by_sudo("1236", "1235");
	expect_owner("theirs/b.prof", 0, getegid());
	call_by_sudo("1234", "x");
	expect_owner("theirs/c.prof", 0, getegid());
	call_by_sudo("1234x", "1235");
	expect_owner("theirs/d.prof", 0, getegid());
	call_by_sudo("4294968530", "1235"); /* 1234 beyond 32 bits */
	expect_owner("theirs/e.prof", 0, getegid());
}
END_TEST

/* In a sticky directory, the owner of the file matters. */
START_TEST(giving_needs_rights)
{
	if (geteuid())
		SKIP_TEST("it takes root to give files away");
	ck_assert_int_eq(mkdir("theirs", 0700), 0);
	ck_assert_int_eq(chown("theirs", 1234, 1235), 0);
	call_by_sudo("1234", "1235");
	open_output("theirs/a.prof");
	ck_assert(out.is_given && outfile_may_replace(&out));
	ck_assert_int_eq(chmod("theirs", 01700), 0);
	ck_assert(!outfile_may_replace(&out));
	outfile_close(&out, false);
}
END_TEST

START_TEST(refuses_what_cannot_be_created)
{
	char text[512], name[300];

	expect_refused("missing/a.prof", -ENOENT,
		       "failed to create 'missing/a.prof': No such file or directory", "");
	write_file("file", "");
	expect_refused("file/a.prof", -ENOTDIR, "failed to write 'file/a.prof': Not a directory",
		       "");
	/* The name is short enough, but the part file's name is longer. */
	memset(name, 'n', 250);
	name[250] = '\0';
	snprintf(text, sizeof(text), "failed to create '%s': File name too long", part_name(name));
	expect_refused(name, -ENAMETOOLONG, text, "");
}
END_TEST

/* Refused at the start: later, all would be recorded and the rename would fail. */
START_TEST(refuses_an_empty_name)
{
	expect_refused("", -ENOENT, "failed to write '': No such file or directory", "");
	ck_assert(!file_exists(part_name("")));
}
END_TEST

/* Somebody who may write to the directory has put a link there. */
START_TEST(does_not_follow_or_reuse_a_part_file)
{
	write_file("target", "precious");
	ck_assert_int_eq(symlink("target", part_name("a.prof")), 0);
	open_output("a.prof");
	ck_assert_str_ne(out.part_path, part_name("a.prof"));
	write_text("x");
	outfile_close(&out, false);
	expect_contents("target", "precious");
	ck_assert_int_eq(unlink(part_name("a.prof")), 0);
	write_file(part_name("a.prof"), "precious");
	open_output("a.prof");
	write_text("x");
	outfile_close(&out, false);
	expect_contents(part_name("a.prof"), "precious");
}
END_TEST

START_TEST(reports_a_failing_rename)
{
	char text[512];

	open_output("a.prof");
	write_text("x");
	ck_assert_int_eq(mkdir("a.prof", 0700), 0); /* meanwhile */
	ck_assert_int_eq(outfile_publish(&out, &err), -EISDIR);
	snprintf(text, sizeof(text), "failed to rename '%s' to 'a.prof': Is a directory",
		 part_name("a.prof"));
	ck_assert_str_eq(err.text, text);
	outfile_close(&out, true);
	expect_contents(part_name("a.prof"), "x");
}
END_TEST

/* The limit on file sizes stands for a full disk. The part file holds the bytes that fitted. */
START_TEST(no_room_for_the_file)
{
	struct rlimit limit = {.rlim_cur = 10000, .rlim_max = RLIM_INFINITY}, before;
	static char data[6000];
	struct stat st;
	char text[512];

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	open_output("a.prof");
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

/* Opens @fd as standard output, writes and publishes. Returns the first error. */
static int write_to(int fd)
{
	int before = replace_stdout(fd), ret;

	ret = outfile_open(&out, "-", &err);
	if (!ret)
		ret = outfile_write(&out, "text", 4);
	if (!ret)
		ret = outfile_publish(&out, &err);
	outfile_close(&out, true);
	restore_stdout(before);
	return ret;
}

START_TEST(standard_output)
{
	ck_assert_int_eq(write_to(open("out", O_WRONLY | O_CREAT, 0600)), 0);
	expect_contents("out", "text");
	ck_assert(!file_exists("-"));
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(standard_output_is_full)
{
	ck_assert_int_eq(write_to(open("/dev/full", O_WRONLY)), -ENOSPC);
	ck_assert_str_eq(err.text, "failed to write 'standard output': No space left on device");
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(standard_output_is_a_broken_pipe)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	ck_assert_int_eq(write_to(fds[1]), -EPIPE);
	ck_assert_str_eq(err.text, "failed to write 'standard output': Broken pipe");
}
END_TEST

START_TEST(standard_output_is_a_terminal)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	ck_assert_int_eq(write_to(slave), -EINVAL);
	ck_assert_str_eq(err.text, "failed to write to standard output: it is a terminal");
	ck_assert_str_eq(err.hint, "redirect it, or pipe it into 'profrep -'");
	close(master);
}
END_TEST

START_TEST(standard_output_is_closed)
{
	int before = replace_stdout(open("/dev/null", O_WRONLY)), ret;

	close(STDOUT_FILENO);
	ret = outfile_open(&out, "-", &err);
	outfile_close(&out, false);
	restore_stdout(before);
	ck_assert_int_eq(ret, -EBADF);
	ck_assert_str_eq(err.text, "failed to write to standard output: Bad file descriptor");
}
END_TEST

/* All bytes arrive through a pipe that does not block and is too small for them. */
START_TEST(a_full_pipe_is_waited_for)
{
	enum { BYTES = 1 << 20 };
	static unsigned char data[BYTES], buf[4096];
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
	out = (struct outfile){.fd = fds[1], .err = &err};
	ck_assert_int_eq(outfile_write(&out, data, BYTES), 0);
	outfile_close(&out, false);
	ck_assert_int_eq(waitpid(reader, &status, 0), reader);
	ck_assert_int_eq(status, 0);
}
END_TEST

struct waits {
	int nr, until; /* the call with the number @until fails */
};

static int count_wait(void *ctx, int fd)
{
	struct waits *waits = ctx;

	ck_assert_int_ge(fd, 0);
	return waits->nr++ == waits->until ? -EINTR : 0;
}

/* A wait precedes each write. No write is larger than a pipe takes at once. */
START_TEST(waits_before_each_write)
{
	static const unsigned char data[3 * PIPE_BUF + 1];
	struct waits waits = {.until = 4};
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	out = (struct outfile){.fd = fds[1], .err = &err, .wait = count_wait, .wait_ctx = &waits};
	ck_assert_int_eq(outfile_write(&out, data, sizeof(data)), 0);
	ck_assert_int_eq(waits.nr, 4);
	ck_assert_int_eq(outfile_write(&out, data, 1), -EINTR);
	ck_assert_str_eq(err.text, ""); /* the wait words its error itself */
	outfile_close(&out, false);
	close(fds[0]);
}
END_TEST

static void publish_new(const char *path, const char *text, const char *want)
{
	ck_assert_int_eq(outfile_open_new(&out, path, &err), 0);
	write_text(text);
	publish();
	ck_assert_str_eq(out.path, want);
	outfile_close(&out, false);
	expect_contents(want, text);
}

/* Files, directories and links that have the name stay as they are. */
START_TEST(a_new_file_replaces_nothing)
{
	write_file("a.prof", "old");
	ck_assert_int_eq(mkdir("a_1.prof", 0700), 0);
	ck_assert_int_eq(symlink("nowhere", "a_2.prof"), 0);
	publish_new("a.prof", "one", "a_3.prof");
	publish_new("a.prof", "two", "a_4.prof");
	publish_new("b.prof", "three", "b.prof");
	expect_contents("a.prof", "old");
	ck_assert(!file_exists("nowhere"));
	ck_assert(!file_exists(part_name("a.prof")));
}
END_TEST

static uid_t played_euid; /* 0: the real one */

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
	return played_euid ? played_euid : __real_geteuid();
}

/* In a sticky directory, only the file's user and the directory's may replace the file. */
START_TEST(files_of_others_in_sticky_directories)
{
	ck_assert_int_eq(mkdir("d", 0700), 0);
	open_output("d/a.prof");
	played_euid = __real_geteuid() + 1;
	ck_assert_int_eq(chmod("d", 01777), 0);
	ck_assert(outfile_may_replace(&out)); /* there is no file */
	write_file("d/a.prof", "old");
	ck_assert(!outfile_may_replace(&out));
	ck_assert_int_eq(chmod("d", 0777), 0);
	ck_assert(outfile_may_replace(&out));
	ck_assert_int_eq(chmod("d", 01777), 0);
	played_euid = 0;
	ck_assert(outfile_may_replace(&out));
	outfile_close(&out, false);
}
END_TEST

START_TEST(memory_is_released)
{
	heap_for_each_round(i)
	{
		open_output("a.prof");
		if (i % 2)
			publish();
		outfile_close(&out, false);
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_WITH("outfile", begin, NULL, a_new_file_replaces_nothing, appears_when_published,
		replaces_only_when_complete, keeps_the_part_file, refuses_what_is_no_regular_file,
		writes_through_own_links, refuses_links_of_others,
		sudo_gives_the_file_to_the_caller, giving_needs_rights,
		refuses_what_cannot_be_created, refuses_an_empty_name,
		does_not_follow_or_reuse_a_part_file, reports_a_failing_rename,
		no_room_for_the_file, standard_output, standard_output_is_full,
		standard_output_is_a_broken_pipe, standard_output_is_a_terminal,
		standard_output_is_closed, a_full_pipe_is_waited_for, waits_before_each_write,
		files_of_others_in_sticky_directories, memory_is_released)
