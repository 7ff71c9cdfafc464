// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loader LIBRARY:FUNCTION...: for each, loads the library, calls the function, and unloads the
 * library. Libraries of one size land at one address, one after the other.
 */
#include "load_function.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		function *call;
		void *library = load_function(argv[i], &call);

		call();
		dlclose(library);
	}
	return 0;
}
