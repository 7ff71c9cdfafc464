/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads a library and finds a function in it, for programs whose operands are LIBRARY:FUNCTION. */
#ifndef TESTS_PROGRAMS_LOAD_FUNCTION_H
#define TESTS_PROGRAMS_LOAD_FUNCTION_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void function(void);

/* Cuts @operand at its colon. Ends the program if library or function are not there. */
static void *load_function(char *operand, function **call)
{
	char *colon = strchr(operand, ':');
	void *library;

	if (!colon)
		exit(2);
	*colon = '\0';
	library = dlopen(operand, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)call = dlsym(library, colon + 1);
	if (!*call)
		exit(1);
	return library;
}

#endif
