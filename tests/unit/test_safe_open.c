// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/safe_open.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/unit/opens.h"
#include "tests/unit/suite.h"

/* The directory of a test, with "file" of four bytes in it. */
static int dir_fd;

static void begin(void)
{
	dir_fd = open(enter_new_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(dir_fd, 0);
	write_file("file", "four");
}

static void end(void)
{
	close(dir_fd);
}

/* Opens @name by the rules. Returns 0 for the file with the four bytes, or the error. */
static int try_open(const char *name, struct safe_open_rules rules)
{
	int fd = safe_open(dir_fd, name, &rules);
	char bytes[8];

	if (fd < 0)
		return fd;
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), 4);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	return 0;
}

START_TEST(rules)
{
	const uid_t own = getuid(), other = own + 1;
	struct stat st;

	ck_assert_int_eq(stat("file", &st), 0);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){0}), 0);
	ck_assert_int_eq(try_open("none", (struct safe_open_rules){0}), -ENOENT);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.inode = st.st_ino}), 0);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.inode = st.st_ino + 1}),
			 -ESTALE);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.max_bytes = 4}), 0);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.max_bytes = 3}), -EFBIG);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.owner = &own}), 0);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.owner = &other}),
			 own ? -EPERM : 0);
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){.not_empty = true}), 0);
	ck_assert_int_eq(symlink("file", "link"), 0);
	ck_assert_int_eq(try_open("link", (struct safe_open_rules){0}), 0);
	ck_assert_int_eq(try_open("link", (struct safe_open_rules){.lookup = SAFE_OPEN_NO_LINK}),
			 -EINVAL);
	ck_assert_int_eq(try_open("/link", (struct safe_open_rules){.lookup = SAFE_OPEN_IN_ROOT}),
			 0);
}
END_TEST

START_TEST(empty_files)
{
	const struct safe_open_rules not_empty = {.not_empty = true}, any = {0};
	int fd;

	ck_assert_int_eq(truncate("file", 0), 0);
	ck_assert_int_eq(safe_open(dir_fd, "file", &not_empty), -EINVAL);
	fd = safe_open(dir_fd, "file", &any);
	ck_assert_int_ge(fd, 0);
	close(fd);
}
END_TEST

/* Each look-up refuses @name without opening it. */
static void check_refused(const char *name)
{
	static const enum safe_open_lookup lookups[] = {SAFE_OPEN_FOLLOW, SAFE_OPEN_NO_LINK,
							SAFE_OPEN_IN_ROOT};

	for (size_t i = 0; i < ARRAY_SIZE(lookups); i++) {
		const struct safe_open_rules how = {.lookup = lookups[i]};
		int watch = opens_watch(name);

		ck_assert_int_eq(safe_open(dir_fd, name, &how), -EINVAL);
		ck_assert_msg(!opens_seen(watch), "'%s' was opened", name);
	}
}

START_TEST(no_regular_files)
{
	const struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), watch;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	check_refused("fifo");
	ck_assert_int_eq(mkdir("dir", 0700), 0);
	check_refused("dir");
	ck_assert_int_eq(bind(sock, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	check_refused("socket");
	close(sock);
	/* The watch sees a file that is opened. */
	watch = opens_watch("file");
	ck_assert_int_eq(try_open("file", (struct safe_open_rules){0}), 0);
	ck_assert(opens_seen(watch));
}
END_TEST

/* The root is a directory in the directory of the test. Files beside it cannot be opened. */
START_TEST(nothing_leads_out_of_a_root)
{
	static const char *const out[] = {
		"/../file", "../file", "/a/../../file", "/up/file",      "/link", "/a/b/link",
		"/",        "",        "/none",         "/proc/self/cwd"};
	const struct safe_open_rules in_root = {.lookup = SAFE_OPEN_IN_ROOT};
	int root_fd, fd;

	ck_assert_int_eq(mkdir("root", 0700), 0);
	ck_assert_int_eq(mkdir("root/a", 0700), 0);
	ck_assert_int_eq(mkdir("root/a/b", 0700), 0);
	write_file("root/a/b/real", "four");
	ck_assert_int_eq(symlink("..", "root/up"), 0);
	ck_assert_int_eq(symlink("../file", "root/link"), 0);
	ck_assert_int_eq(symlink("/../../file", "root/a/b/link"), 0);
	root_fd = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(root_fd, 0);
	for (size_t i = 0; i < ARRAY_SIZE(out); i++) {
		ck_assert_msg(safe_open(root_fd, out[i], &in_root) < 0, "'%s'", out[i]);
		ck_assert_msg(safe_open_walk(root_fd, out[i], O_RDONLY) < 0, "'%s'", out[i]);
	}
	fd = safe_open(root_fd, "//a/b//real", &in_root);
	ck_assert_int_ge(fd, 0);
	close(fd);
	fd = safe_open_walk(root_fd, "//a/b//real", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	close(fd);
	close(root_fd);
}
END_TEST

SUITE_MAIN_WITH("safe_open", begin, end, rules, empty_files, no_regular_files,
		nothing_leads_out_of_a_root)
