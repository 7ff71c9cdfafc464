/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that begin when a test says so. */
#ifndef TESTS_PROGRAMS_WAIT_FOR_LINE_H
#define TESTS_PROGRAMS_WAIT_FOR_LINE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Says the pid on standard output, and waits until somebody writes a line to the FIFO @path. */
static inline void wait_for_line(const char *path)
{
	FILE *f;
	char line[16];

	printf("%d\n", (int)getpid());
	fflush(stdout);
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f))
		exit(1);
	fclose(f);
}

#endif
