/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code with which the stack of a coroutine begins, and that nobody calls. What a table says of it,
 * or what lies above it on the stack, would lead to whoever has last run there. Runs in the table
 * child.
 */
#ifndef RECORD_CFI_COROUTINES_H
#define RECORD_CFI_COROUTINES_H

#include <stdbool.h>

#include "elf/elf_image.h"

/* As linked; all 0: the file has none. */
struct coroutine_begin {
	uint64_t start, end;
	uint64_t leaf; /* code from here to start has no frame, and its caller is on the stack */
};

/* Kinds of coroutines: greenlets of Python, and those of Boost.Context, which PHP has, too. */
enum coroutine_kind { COROUTINE_GREENLET, COROUTINE_FCONTEXT, NR_COROUTINE_KINDS };

/*
 * Finds the code in @file by its dynamic symbols. Returns 0, -ENOMEM, or the error of a section
 * that cannot be read.
 */
int coroutines_find(const struct elf_image *file,
		    struct coroutine_begin begins[static NR_COROUTINE_KINDS]);

/*
 * Finds where coroutines begin in the @size bytes @code of make_fcontext: *@begin is the offset,
 * and *@is_leaf says that the code before it leaves the stack alone. The architecture has it.
 * Returns false if it is not known.
 */
bool fcontext_find_begin(const uint8_t *code, uint64_t size, uint64_t *begin, bool *is_leaf);

#endif
