// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libraries FUNCTION FILE...: loads all files and prints a line. Then it calls the function of one
 * file after the other, over and over, until somebody ends it.
 */
#include <dlfcn.h>
#include <stdio.h>

#define LIBRARIES_MAX 256

int main(int argc, char **argv)
{
	void (*call[LIBRARIES_MAX])(void);
	int nr = 0;

	for (int i = 2; i < argc && nr < LIBRARIES_MAX; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&call[nr++] = dlsym(library, argv[1]);
	}
	puts("loaded");
	fflush(stdout);
	for (;;)
		for (int i = 0; i < nr; i++)
			call[i]();
}
