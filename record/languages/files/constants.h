/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches the constants of a program for a text, where no symbol leads to it: for its version.
 * Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_CONSTANTS_H
#define RECORD_LANGUAGES_FILES_CONSTANTS_H

#include "record/languages/files/dynamic_symbols.h"

/*
 * Finds the first place of the text @mark with @len bytes after it, in one segment, and copies
 * these into @after. Returns 0 or -ENOENT.
 */
int constants_find(const struct dynamic_symbols *symbols, const char *mark, void *after,
		   size_t len);

/* Characters of a version, at most. */
#define VERSION_TEXT_BYTES 24

/* The version that follows @mark: digits, dots and underscores; "" if there is none. */
void constants_find_version(const struct dynamic_symbols *symbols, const char *mark,
			    char text[VERSION_TEXT_BYTES + 1]);

#endif
