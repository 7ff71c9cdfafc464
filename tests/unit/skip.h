/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check cannot skip: a program that cannot run here writes the TAP line in Check's place. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#include <stdio.h>
#include <stdlib.h>

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

#endif
