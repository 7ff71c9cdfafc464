/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check cannot skip: a program that cannot run here writes the TAP line in Check's place. For a
 * single test it writes a line "TEST REASON" beside Check's lines, and tests/lib/check-tap joins
 * them.
 */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts the program as one skipped test. Returns the exit status. */
static inline int skip_all(const char *name, const char *reason)
{
	const char *path = getenv("CK_TAP_LOG_FILE_NAME");
	FILE *f = path ? fopen(path, "we") : stdout;

	if (!f)
		return EXIT_FAILURE;
	fprintf(f, "1..1\nok 1 - %s # SKIP %s\n", name, reason);
	return f != stdout && fclose(f) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* For SKIP_TEST. Check calls the @function of a test NAME_fn. */
static inline void skip_test(const char *function, const char *reason)
{
	const char *log = getenv("CK_TAP_LOG_FILE_NAME");
	char path[4096];
	FILE *f;

	if (!log)
		return;
	snprintf(path, sizeof(path), "%s.skipped", log);
	f = fopen(path, "ae");
	if (!f)
		return;
	fprintf(f, "%.*s %s\n", (int)strlen(function) - 3, function, reason);
	fclose(f);
}

/* Ends a test that cannot run here. It counts as skipped, for this reason. */
#define SKIP_TEST(reason)                                                                          \
	do {                                                                                       \
		skip_test(__func__, reason);                                                       \
		return;                                                                            \
	} while (0)

#endif
