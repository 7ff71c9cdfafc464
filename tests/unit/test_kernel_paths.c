// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/kernel_paths.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define RELEASE "6.1.0-test"
#define TREE    "lib/modules/" RELEASE

static int dir_fd;

static void begin(void)
{
	dir_fd = open(enter_new_dir(), O_PATH | O_DIRECTORY);
	ck_assert_int_ge(dir_fd, 0);
}

static void end(void)
{
	close(dir_fd);
}

/* Makes the directory @path and those above it. */
static void make_dir(const char *path)
{
	char *copy = strdup(path);

	for (char *s = copy; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(copy, 0700);
		*s = '/';
	}
	mkdir(copy, 0700);
	free(copy);
}

static void put_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths, in the order of bytes, are those in @want, one a line. */
static void expect(bool is_root, const char *release, const char *module, const char *want)
{
	const struct kernel_file file = {release, module};
	kernel_paths paths = {0};
	char text[4096] = "";

	ck_assert_int_eq(kernel_paths_find(dir_fd, is_root, &file, &paths), 0);
	if (paths.nr)
		qsort(paths.data, paths.nr, sizeof(*paths.data), compare_texts);
	vec_for_each(&paths, path) {
		strcat(text, *path);
		strcat(text, "\n");
	}
	ck_assert_str_eq(text, want);
	kernel_paths_free(&paths);
}

START_TEST(images)
{
	expect(true, RELEASE, NULL,
	       "/boot/vmlinux-6.1.0-test\n/lib/modules/6.1.0-test/build/vmlinux\n"
	       "/lib/modules/6.1.0-test/vmlinux\n/usr/lib/debug/boot/vmlinux-6.1.0-test\n"
	       "/usr/lib/debug/lib/modules/6.1.0-test/vmlinux\n");
	expect(false, RELEASE, NULL, "/boot/vmlinux-6.1.0-test\n/lib/modules/6.1.0-test/vmlinux\n");
}
END_TEST

START_TEST(modules)
{
	make_dir(TREE "/kernel/a/b");
	make_dir(TREE "/extra");
	put_file(TREE "/kernel/a/b/my-mod.ko");
	put_file(TREE "/extra/my_mod.ko.debug");
	put_file(TREE "/extra/my_mod.ko.xz");
	put_file(TREE "/extra/my_mod.ko.lz4");
	put_file(TREE "/extra/my_mod2.ko");
	put_file(TREE "/kernel/my_mo.ko");
	expect(true, RELEASE, "my_mod",
	       "/lib/modules/6.1.0-test/extra/my_mod.ko.debug\n"
	       "/lib/modules/6.1.0-test/extra/my_mod.ko.xz\n"
	       "/lib/modules/6.1.0-test/kernel/a/b/my-mod.ko\n");
	make_dir("usr/lib/debug/" TREE);
	put_file("usr/lib/debug/" TREE "/my_mod2.ko");
	expect(true, RELEASE, "my_mod2",
	       "/lib/modules/6.1.0-test/extra/my_mod2.ko\n"
	       "/usr/lib/debug/lib/modules/6.1.0-test/my_mod2.ko\n");
	expect(false, RELEASE, "my_mod2", "/lib/modules/6.1.0-test/extra/my_mod2.ko\n");
	expect(true, RELEASE, "other", "");
}
END_TEST

START_TEST(hostile_releases)
{
	make_dir("outside");
	put_file("outside/m.ko");
	make_dir("lib/modules");
	put_file("lib/modules/m.ko");
	expect(true, "../../outside", "m", "");
	expect(true, "..", "m", "");
	expect(true, ".", "m", "");
	expect(true, "", "m", "");
	expect(true, "../vmlinux", NULL, "");
}
END_TEST

/* Links inside the tree are not followed, not even in circles. A FIFO is no module. */
START_TEST(hostile_trees)
{
	make_dir(TREE "/kernel");
	make_dir("outside");
	put_file("outside/m.ko");
	ck_assert_int_eq(symlink("..", TREE "/kernel/up"), 0);
	ck_assert_int_eq(symlink("../../../outside", TREE "/out"), 0);
	ck_assert_int_eq(symlink("../../../outside/m.ko", TREE "/m.ko"), 0);
	ck_assert_int_eq(mkfifo(TREE "/kernel/m.ko", 0600), 0);
	expect(true, RELEASE, "m", "");
	make_dir(TREE "/1/2/3/4/5/6/7/8/9/10/11/12/13/14");
	put_file(TREE "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/m.ko");
	expect(true, RELEASE, "m", "");
}
END_TEST

SUITE_MAIN_WITH("kernel_paths", begin, end, images, modules, hostile_releases, hostile_trees)
