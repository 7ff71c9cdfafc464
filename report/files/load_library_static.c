// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In place of load_library.c in a static profrep, whose libc could load only libraries of the very
 * libc that it comes from.
 */
#include "report/files/load_library.h"

#include <stddef.h>

void *load_library(const char *name)
{
	(void)name;
	return NULL;
}

const char *load_library_error(void)
{
	return "this profrep is static and loads no libraries; use one that is not";
}

bool load_library_works(void)
{
	return false;
}
