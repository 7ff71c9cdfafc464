// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the inputs of a fuzzing corpus through a target in an ordinary build: fuzz_replay FILE...
 * Prints the result of each, as TAP. A crash, a sanitizer's report, or an input that takes too long
 * makes it fail.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "tests/fuzz/budget.h"
#include "tests/fuzz/input.h"

static bool replay(const char *path, int number)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	_cleanup_free_ uint8_t *data = malloc(INPUT_MAX_BYTES);
	size_t len;

	if (!f || !data) {
		printf("not ok %d - %s: failed to open\n", number, path);
		return false;
	}
	len = fread(data, 1, INPUT_MAX_BYTES, f);
	printf("# %s: ", path);
	fflush(stdout);
	budget_run(data, len, 1);
	printf("ok %d - %s\n", number, path);
	return true;
}

int main(int argc, char **argv)
{
	bool passed = argc > 1;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++)
		passed &= replay(argv[i], i);
	return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
