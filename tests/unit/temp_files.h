/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in the directory of a test. */
#ifndef TESTS_TEMP_FILES_H
#define TESTS_TEMP_FILES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/readfile.h"
#include "tests/unit/suite.h"

static inline bool file_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
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
