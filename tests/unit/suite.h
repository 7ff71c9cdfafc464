/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main function of a test program: fixtures around its tests, and directories for their files.
 * Each test is a Check case of its own name, so that CK_RUN_CASE chooses one.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/unit/skip.h"

/* A safety net, far above the time that a test needs on a slow machine. */
#define SUITE_TIMEOUT_S 300

struct suite {
	const char *name;
	/* Returns the reason why the tests cannot run here, or NULL. Asserts nothing. NULL: they
	 * can. */
	const char *(*missing)(void);
	/*
	 * Called before and after each test, in its process; or NULL. A failure ends without end.
	 */
	void (*begin)(void), (*end)(void);
	/* A test that runs before the others, for each _i in [0, nr_loops); or NULL. */
	const TTest *loop;
	int nr_loops;
};

/* Holds all files of the tests. suite_run removes it, unless KEEP is set. */
static char suite_dir[256];

static inline int suite_remove_file(const char *path, const struct stat *st, int type,
				    struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline int suite_remove(void)
{
	const char *keep = getenv("KEEP");

	if (keep && *keep) {
		fprintf(stderr, "kept: %s\n", suite_dir);
		return 0;
	}
	return nftw(suite_dir, suite_remove_file, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void suite_add(Suite *check, const struct suite *suite, const TTest *test,
			     int nr_loops)
{
	TCase *tcase = tcase_create(test->name);

	tcase_add_loop_test(tcase, test, 0, nr_loops);
	tcase_add_checked_fixture(tcase, suite->begin, suite->end);
	tcase_set_timeout(tcase, SUITE_TIMEOUT_S);
	suite_add_tcase(check, tcase);
}

/* Runs the @nr @tests. Returns the exit status of the program. */
static inline int suite_run(const struct suite *suite, const TTest *const *tests, size_t nr)
{
	Suite *check = suite_create(suite->name);
	SRunner *runner = srunner_create(check);
	const char *reason, *tmp = getenv("TMPDIR");
	int ret;

	snprintf(suite_dir, sizeof(suite_dir), "%s/profrec-test-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(suite_dir))
		return EXIT_FAILURE;
	reason = suite->missing ? suite->missing() : NULL;
	if (suite->loop)
		suite_add(check, suite, suite->loop, suite->nr_loops);
	for (size_t i = 0; i < nr; i++)
		suite_add(check, suite, tests[i], 1);
	if (reason) {
		ret = skip_all(suite->name, reason);
	} else {
		srunner_run_all(runner, CK_NORMAL);
		ret = srunner_ntests_failed(runner) ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	srunner_free(runner);
	return suite_remove() ? EXIT_FAILURE : ret;
}

/* SUITE_MAIN("name", test, ...): the tests by their START_TEST names. */
#define SUITE_MAIN(name, ...) SUITE_MAIN_WITH(name, NULL, NULL, __VA_ARGS__)

/* With the functions @begin and @end before and after each test. */
#define SUITE_MAIN_WITH(name, begin, end, ...)                                                     \
	SUITE_MAIN_LOOP_WITH(name, begin, end, NULL, 0, __VA_ARGS__)

/* With the test @loop, run @nr_loops times, before the others. */
#define SUITE_MAIN_LOOP(name, loop, nr_loops, ...)                                                 \
	SUITE_MAIN_LOOP_WITH(name, NULL, NULL, loop, nr_loops, __VA_ARGS__)

#define SUITE_MAIN_LOOP_WITH(name, begin, end, loop, nr_loops, ...)                                \
	SUITE_MAIN_OF(((struct suite){name, NULL, begin, end, loop, nr_loops}), __VA_ARGS__)

/* The tests of a struct suite. */
#define SUITE_MAIN_OF(suite, ...)                                                                  \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = {__VA_ARGS__};                                        \
                                                                                                   \
		return suite_run(&(suite), tests, ARRAY_SIZE(tests));                              \
	}

/* Makes a new directory the current one. Returns its absolute path, valid until the next call. */
static inline const char *enter_new_dir(void)
{
	static char dir[sizeof(suite_dir) + 7];

	snprintf(dir, sizeof(dir), "%s/XXXXXX", suite_dir);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	return dir;
}

/* The fixture of programs whose tests need a directory and nothing else. */
static inline void begin_in_new_dir(void)
{
	enter_new_dir();
}

/* A new file @path, or new contents of one. */
static inline void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	ck_assert_msg(f != NULL, "%s: %m", path);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

#endif
