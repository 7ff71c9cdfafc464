// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/stat.h>

#include "report/annotate/source_text.h"
#include "tests/unit/suite.h"

static const char *dir;

/* Returns line @line of the file that is found for @path. */
static const char *line_of(const struct source_dirs *dirs, const char *path, uint64_t line)
{
	static struct textbuf out = {.fd = -1};
	struct source_text text;

	out.nr = 0;
	ck_assert_int_eq(source_text_read(dirs, path, &text), 0);
	if (!text.starts.nr)
		textbuf_str(&out, "none");
	source_text_put(&text, line, &out);
	source_text_free(&text);
	textbuf_char(&out, '\0');
	return out.data;
}

static void make_files(void)
{
	dir = enter_new_dir();
	ck_assert_int_eq(mkdir("a", 0700), 0);
	write_file("f.c", "outer\n");
	write_file("a/f.c", "inner\n\n\tx\ty\r\nlast");
	write_file("secret", "secret\n");
	write_file("empty.c", "");
	ck_assert_int_eq(symlink("/etc/passwd", "link.c"), 0);
}

START_TEST(below_directories)
{
	struct source_dirs dirs = {.names = {dir}, .nr = 1};

	/* The longest end of the path counts. */
	ck_assert_str_eq(line_of(&dirs, "/build/a/f.c", 1), "inner");
	ck_assert_str_eq(line_of(&dirs, "/build/b/f.c", 1), "outer");
	ck_assert_str_eq(line_of(&dirs, "f.c", 1), "outer");
	ck_assert_str_eq(line_of(&dirs, "//build//a//f.c", 1), "inner");
	ck_assert_str_eq(line_of(&dirs, "/etc/passwd", 1), "none");
	ck_assert_str_eq(line_of(&dirs, "/../../../../etc/passwd", 1), "none");
	ck_assert_str_eq(line_of(&dirs, "/x/link.c", 1), "none");
	ck_assert_str_eq(line_of(&dirs, "/x/empty.c", 1), "none");
	ck_assert_str_eq(line_of(&dirs, "/x/a", 1), "none");
	ck_assert_str_eq(line_of(&dirs, "", 1), "none");
	ck_assert_str_eq(line_of(&dirs, "/", 1), "none");
}
END_TEST

START_TEST(by_path)
{
	const struct source_dirs none = {0};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/a/f.c", dir);
	ck_assert_str_eq(line_of(&none, path, 1), "inner");
	ck_assert_str_eq(line_of(&none, "a/f.c", 1), "none");
	/* Nothing but source code is read without a word of the user. */
	snprintf(path, sizeof(path), "%s/secret", dir);
	ck_assert_str_eq(line_of(&none, path, 1), "none");
	ck_assert_str_eq(line_of(&none, "/etc/passwd", 1), "none");
	ck_assert_str_eq(line_of(&none, "/dev/zero.c", 1), "none");
}
END_TEST

START_TEST(lines)
{
	struct source_dirs dirs = {.names = {dir}, .nr = 1};

	ck_assert_str_eq(line_of(&dirs, "a/f.c", 0), "");
	ck_assert_str_eq(line_of(&dirs, "a/f.c", 2), "");
	ck_assert_str_eq(line_of(&dirs, "a/f.c", 3), "        x       y");
	ck_assert_str_eq(line_of(&dirs, "a/f.c", 4), "last");
	ck_assert_str_eq(line_of(&dirs, "a/f.c", 5), "");
	ck_assert_str_eq(line_of(&dirs, "a/f.c", UINT64_MAX), "");
	write_file("a/f.c", "\033[2Jx\xff \"\\n\"\n");
	ck_assert_str_eq(line_of(&dirs, "a/f.c", 1), "\\x1b[2Jx\\xff \"\\n\"");
}
END_TEST

START_TEST(directories)
{
	struct source_dirs dirs = {.names = {dir, "/nonexistent"}, .nr = 2};
	struct err err;

	ck_assert_int_eq(source_dirs_check(&dirs, &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to open '/nonexistent': No such file or directory");
	dirs.nr = 1;
	ck_assert_int_eq(source_dirs_check(&dirs, &err), 0);
}
END_TEST

SUITE_MAIN_WITH("source_text", make_files, NULL, below_directories, by_path, lines, directories)
