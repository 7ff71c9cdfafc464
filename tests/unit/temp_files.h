/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in a directory of a test's own. */
#ifndef TESTS_TEMP_FILES_H
#define TESTS_TEMP_FILES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/readfile.h"
#include "tests/unit/suite.h"

/* Makes a new directory the working directory. The caller removes it with leave_temp. */
static inline char *enter_temp(void)
{
	char *dir = temp_create();

	ck_assert_int_eq(chdir(dir), 0);
	return dir;
}

static inline void leave_temp(char *dir)
{
	ck_assert_int_eq(chdir("/"), 0);
	temp_remove(dir);
}

static inline bool file_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static inline void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static inline void expect_contents(const char *path, const char *want)
{
	char_vec text = {0};

	ck_assert_int_eq(read_file(path, 1 << 20, &text), 0);
	ck_assert_str_eq(text.data, want);
	vec_free(&text);
}

/* The name of an outfile until it is published. Valid until the next call. */
static inline const char *part_name(const char *path)
{
	static char part[300];

	snprintf(part, sizeof(part), "%.270s.%d.part", path, getpid());
	return part;
}

#endif
