/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the part of a function that the compiler has moved to another place, since it runs seldom.
 * No symbol says where it is. But the function jumps there, and the file's table of functions,
 * .eh_frame_hdr, says where it begins and ends.
 */
#ifndef RECORD_LANGUAGES_MOVED_CODE_H
#define RECORD_LANGUAGES_MOVED_CODE_H

#include "record/languages/dynamic_symbols.h"

/*
 * Finds the moved part of @function: [*@begin, *@end), as linked; 0 and 0 if there is none. Returns
 * 0 or -ENOENT when the code cannot be read.
 */
int moved_code_find(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
		    uint64_t *begin, uint64_t *end);

#endif
