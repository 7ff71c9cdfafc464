/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main function of a test program with one Check case, and a directory for its files.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A safety net, far above what a test takes on a slow machine. */
#define SUITE_TIMEOUT_S 300

/* @loop, unless it is NULL, is run for each _i in [0, nr_loops). */
static inline int suite_run(const char *name, const TTest *loop, int nr_loops,
			    const TTest *const *tests, size_t nr)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	if (loop)
		tcase_add_loop_test(tcase, loop, 0, nr_loops);
	for (size_t i = 0; i < nr; i++)
		tcase_add_test(tcase, tests[i]);
	tcase_set_timeout(tcase, SUITE_TIMEOUT_S);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SUITE_MAIN("name", test, ...): the tests by their START_TEST names. */
#define SUITE_MAIN(name, ...) SUITE_MAIN_LOOP(name, NULL, 0, __VA_ARGS__)

/* The same with one test before them that is run @nr_loops times. */
#define SUITE_MAIN_LOOP(name, loop, nr_loops, ...)                                                 \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = {__VA_ARGS__};                                        \
                                                                                                   \
		return suite_run(name, loop, nr_loops, tests, sizeof(tests) / sizeof(tests[0]));   \
	}

/* A new directory; the caller removes it with temp_remove. */
static inline char *temp_create(void)
{
	char *dir = strdup("/tmp/profrec-test-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

static inline void temp_remove(char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	ck_assert_int_eq(system(command), 0);
	free(dir);
}

#endif
