/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_SEARCH_PATH_H
#define COMMON_SEARCH_PATH_H

#include <stdbool.h>

/* Would a shell run @word: a path, or a name in one of PATH's directories? */
bool search_path_has(const char *word);

#endif
