// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes the unwind table of each FILE and prints its cost: table_make FILE... */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "record/cfi/unwind_table.h"

/* The best of so many counts. */
#define RUNS 5

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static size_t table_bytes(const struct unwind_table *t)
{
	return t->nr_pages * sizeof(*t->pages) + t->nr_rows * sizeof(*t->rows) +
	       t->nr_rules * sizeof(*t->rules);
}

static int print_table(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(unwind_table_deinit) struct unwind_table table = {0};
	double best = 0;

	for (int i = 0; i < RUNS; i++) {
		double start = cpu_ms(), ms;
		int ret;

		unwind_table_deinit(&table);
		ret = unwind_table_build(fd, &table);
		if (ret) {
			fprintf(stderr, "table_make: %s: %s\n", path, strerror(-ret));
			return ret;
		}
		ms = cpu_ms() - start;
		if (!i || ms < best)
			best = ms;
	}
	printf("%10.2f %10u %8u %8u %8.2f  %s\n", best, table.nr_rows, table.nr_rules,
	       table.nr_pages, (double)table_bytes(&table) / table.nr_rows, path);
	return 0;
}

int main(int argc, char **argv)
{
	int status = EXIT_SUCCESS;

	printf("%10s %10s %8s %8s %8s\n", "CPU ms", "rows", "rules", "pages", "B/row");
	for (int i = 1; i < argc; i++)
		if (print_table(argv[i]))
			status = EXIT_FAILURE;
	return status;
}
