// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/safe_open.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "common/cleanup.h"
#include "tests/unit/opens.h"
#include "tests/unit/suite.h"

/* A directory, and "file" in it with four bytes. */
struct place {
	char *path;
	int dir_fd;
};

static void write_file(const struct place *p, const char *name)
{
	int fd = openat(p->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	ck_assert_int_eq(write(fd, "four", 4), 4);
	ck_assert_int_eq(close(fd), 0);
}

static struct place make_place(void)
{
	struct place p = {.path = temp_create()};

	p.dir_fd = open(p.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(p.dir_fd, 0);
	write_file(&p, "file");
	return p;
}

static void remove_place(struct place *p)
{
	close(p->dir_fd);
	temp_remove(p->path);
}

/* Opens @name by the rules: 0 when it is the file with the four bytes, or the error. */
static int try_open(const struct place *p, const char *name, struct safe_open_rules rules)
{
	int fd = safe_open(p->dir_fd, name, &rules);
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
	struct place p = make_place();
	const uid_t own = getuid(), other = own + 1;
	struct stat st;

	ck_assert_int_eq(fstatat(p.dir_fd, "file", &st, 0), 0);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){0}), 0);
	ck_assert_int_eq(try_open(&p, "none", (struct safe_open_rules){0}), -ENOENT);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.inode = st.st_ino}), 0);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.inode = st.st_ino + 1}),
			 -ESTALE);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.max_bytes = 4}), 0);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.max_bytes = 3}), -EFBIG);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.owner = &own}), 0);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.owner = &other}),
			 own ? -EPERM : 0);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){.not_empty = true}), 0);
	ck_assert_int_eq(symlinkat("file", p.dir_fd, "link"), 0);
	ck_assert_int_eq(try_open(&p, "link", (struct safe_open_rules){0}), 0);
	ck_assert_int_eq(
		try_open(&p, "link", (struct safe_open_rules){.lookup = SAFE_OPEN_NO_LINK}),
		-EINVAL);
	ck_assert_int_eq(
		try_open(&p, "/link", (struct safe_open_rules){.lookup = SAFE_OPEN_IN_ROOT}), 0);
	remove_place(&p);
}
END_TEST

START_TEST(empty_files)
{
	struct place p = make_place();
	const struct safe_open_rules not_empty = {.not_empty = true}, any = {0};
	int fd;

	ck_assert_int_eq(ftruncate(openat(p.dir_fd, "file", O_WRONLY | O_CLOEXEC), 0), 0);
	ck_assert_int_eq(safe_open(p.dir_fd, "file", &not_empty), -EINVAL);
	fd = safe_open(p.dir_fd, "file", &any);
	ck_assert_int_ge(fd, 0);
	close(fd);
	remove_place(&p);
}
END_TEST

/* @name is refused by each look-up, and not opened on the way. */
static void check_refused(const struct place *p, const char *name)
{
	static const enum safe_open_lookup lookups[] = {SAFE_OPEN_FOLLOW, SAFE_OPEN_NO_LINK,
							SAFE_OPEN_IN_ROOT};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->path, name);
	for (size_t i = 0; i < ARRAY_SIZE(lookups); i++) {
		const struct safe_open_rules how = {.lookup = lookups[i]};
		int watch = opens_watch(path);

		ck_assert_int_eq(safe_open(p->dir_fd, name, &how), -EINVAL);
		ck_assert_msg(!opens_seen(watch), "'%s' was opened", name);
	}
}

START_TEST(no_regular_files)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct place p = make_place();
	char path[128];
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), watch;

	ck_assert_int_eq(mkfifoat(p.dir_fd, "fifo", 0600), 0);
	check_refused(&p, "fifo");
	ck_assert_int_eq(mkdirat(p.dir_fd, "dir", 0700), 0);
	check_refused(&p, "dir");
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/socket", p.path);
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	check_refused(&p, "socket");
	close(sock);
	/* A file that is opened is seen to be. */
	snprintf(path, sizeof(path), "%s/file", p.path);
	watch = opens_watch(path);
	ck_assert_int_eq(try_open(&p, "file", (struct safe_open_rules){0}), 0);
	ck_assert(opens_seen(watch));
	remove_place(&p);
}
END_TEST

/* The root is a directory in the place: what is beside it cannot be had. */
START_TEST(nothing_leads_out_of_a_root)
{
	static const char *const out[] = {
		"/../file", "../file", "/a/../../file", "/up/file",      "/link", "/a/b/link",
		"/",        "",        "/none",         "/proc/self/cwd"};
	struct place p = make_place();
	const struct safe_open_rules in_root = {.lookup = SAFE_OPEN_IN_ROOT};
	int root_fd, fd;

	ck_assert_int_eq(mkdirat(p.dir_fd, "root", 0700), 0);
	ck_assert_int_eq(mkdirat(p.dir_fd, "root/a", 0700), 0);
	ck_assert_int_eq(mkdirat(p.dir_fd, "root/a/b", 0700), 0);
	write_file(&p, "root/a/b/real");
	ck_assert_int_eq(symlinkat("..", p.dir_fd, "root/up"), 0);
	ck_assert_int_eq(symlinkat("../file", p.dir_fd, "root/link"), 0);
	ck_assert_int_eq(symlinkat("/../../file", p.dir_fd, "root/a/b/link"), 0);
	root_fd = openat(p.dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
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
	remove_place(&p);
}
END_TEST

SUITE_MAIN("safe_open", rules, empty_files, no_regular_files, nothing_leads_out_of_a_root)
