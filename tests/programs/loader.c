// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loader LIBRARY:FUNCTION...: for each, loads the library, calls the function, and unloads the
 * library. Libraries of one size land at one address, one after the other.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *colon = strchr(argv[i], ':');
		void (*call)(void);
		void *library;

		if (!colon)
			return 2;
		*colon = '\0';
		library = dlopen(argv[i], RTLD_NOW);
		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&call = dlsym(library, colon + 1);
		if (!call)
			return 1;
		call();
		dlclose(library);
	}
	return 0;
}
