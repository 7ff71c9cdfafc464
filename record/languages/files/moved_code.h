/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds code that no symbol names: the part of a function that the compiler has moved to another
 * place, since it runs seldom, and functions that others call. But a jump or a call leads
 * there, and the file's table of functions, .eh_frame_hdr, says where it begins and ends. Runs in
 * the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_MOVED_CODE_H
#define RECORD_LANGUAGES_FILES_MOVED_CODE_H

#include <stdbool.h>

#include "record/languages/files/dynamic_symbols.h"

/*
 * Finds the moved part of @function: [*@begin, *@end), as linked; 0 and 0 if there is none. Returns
 * 0 or -ENOENT when the code cannot be read.
 */
int moved_code_find(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
		    uint64_t *begin, uint64_t *end);

/*
 * Finds the only function that both @a and @b call or jump to, by address and size. Functions of
 * other files are not meant. Returns 0 or -ENOENT when there is none, or more than one.
 */
int moved_code_find_common(const struct dynamic_symbols *symbols, const Elf64_Sym *a,
			   const Elf64_Sym *b, Elf64_Sym *found);

/*
 * Finds the only function that @function calls and whose @size bytes @is_meant accepts. The
 * function at @other, as linked, is not meant. Returns as above.
 */
int moved_code_find_called(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
			   uint64_t other, bool (*is_meant)(const uint8_t *code, uint64_t size),
			   Elf64_Sym *found);

/* Finds the largest function that @function calls or jumps to. Returns as above. */
int moved_code_find_largest(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
			    Elf64_Sym *found);

#endif
