// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/load_library.h"

#include <dlfcn.h>

void *load_library(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

const char *load_library_error(void)
{
	return dlerror();
}

bool load_library_works(void)
{
	return true;
}
