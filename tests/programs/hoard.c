// SPDX-License-Identifier: GPL-2.0-or-later
/* hoard LIBRARY:FUNCTION...: loads all libraries and calls their functions in turn, for ever. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void function(void);

int main(int argc, char **argv)
{
	function **calls = calloc(argc, sizeof(*calls));

	if (!calls)
		return 1;
	for (int i = 1; i < argc; i++) {
		char *colon = strchr(argv[i], ':');
		void *library;

		if (!colon)
			return 2;
		*colon = '\0';
		library = dlopen(argv[i], RTLD_NOW);
		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&calls[i] = dlsym(library, colon + 1);
		if (!calls[i])
			return 1;
	}
	for (;;)
		for (int i = 1; i < argc; i++)
			calls[i]();
}
