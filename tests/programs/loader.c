// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loader LIBRARY:FUNCTION... [FILE]: for each, loads the library, calls the function, and unloads
 * the library. Libraries of one size land at one address, one after the other. With FILE it first
 * says its pid, and waits for a line of FILE.
 */
#include "load_function.h"
#include "wait_for_line.h"

int main(int argc, char **argv)
{
	if (argc > 1 && !strchr(argv[argc - 1], ':'))
		wait_for_line(argv[--argc]);
	for (int i = 1; i < argc; i++) {
		function *call;
		void *library = load_function(argv[i], &call);

		call();
		dlclose(library);
	}
	return 0;
}
