// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/interpreter_versions.h"

#include <stdlib.h>

#include "common/cleanup.h"
#include "tests/unit/suite.h"

static struct interpreter_version rows[8];
static size_t nr_rows;

static bool row(size_t i, struct interpreter_version *version)
{
	if (i >= nr_rows)
		return false;
	*version = rows[i];
	return true;
}

#define EXPECT(text, ...)                                                                          \
	do {                                                                                       \
		const struct interpreter_version given[] = {__VA_ARGS__};                          \
                                                                                                   \
		nr_rows = ARRAY_SIZE(given);                                                       \
		memcpy(rows, given, sizeof(given));                                                \
		expect(text);                                                                      \
	} while (0)

static void expect(const char *expected)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	interpreter_versions_print(row, f);
	fclose(f);
	ck_assert_str_eq(text, expected);
}

START_TEST(runs)
{
	EXPECT("3.9", {3, 9});
	EXPECT("3.12, 3.13", {3, 12}, {3, 13});
	EXPECT("3.9 to 3.11", {3, 9}, {3, 10}, {3, 11});
	EXPECT("2.7, 3.0 to 3.2", {2, 7}, {3, 0}, {3, 1}, {3, 2});
	EXPECT("5.30, 5.32", {5, 30}, {5, 32});
	EXPECT("8 to 10, 17", {8, NO_MINOR}, {9, NO_MINOR}, {10, NO_MINOR}, {17, NO_MINOR});
	EXPECT("8, 8.1", {8, NO_MINOR}, {8, 1});
}
END_TEST

/* Builds of one version have a row each. */
START_TEST(a_version_that_comes_twice)
{
	EXPECT("5.36", {5, 36}, {5, 36});
	EXPECT("3.1 to 3.3, 4.0", {3, 1}, {3, 1}, {3, 2}, {3, 3}, {3, 3}, {4, 0}, {4, 0});
}
END_TEST

START_TEST(versions_of_texts)
{
	const struct interpreter_version version = {8, 1};

	ck_assert(interpreter_version_has(&version, "8.1.34"));
	ck_assert(!interpreter_version_has(&version, "8.10.1"));
	ck_assert(!interpreter_version_has(&version, "8.1"));
	ck_assert(!interpreter_version_has(&version, "18.1.1"));
	ck_assert(!interpreter_version_has(&version, ""));
}
END_TEST

SUITE_MAIN("interpreter_versions", runs, a_version_that_comes_twice, versions_of_texts)
