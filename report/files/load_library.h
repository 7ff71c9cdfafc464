/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries that are loaded when they are used first, because most commands do without them. */
#ifndef REPORT_FILES_LOAD_LIBRARY_H
#define REPORT_FILES_LOAD_LIBRARY_H

#include <stdbool.h>

/*
 * Loads the library @name, "libcurl.so.4", as dlopen(3) finds it. Returns a handle for dlsym(3) and
 * dlclose(3), or NULL. A static profrep loads none.
 */
void *load_library(const char *name);

/* Returns why load_library() has failed, until it is called again. */
const char *load_library_error(void);

/* Returns false if no library can be loaded, whatever is installed. */
bool load_library_works(void);

#endif
