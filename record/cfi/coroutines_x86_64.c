// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/coroutines.h"

#include <string.h>

/* Longest part of make_fcontext without calls and shadow stacks. */
#define LEAF_BYTES 64

#define RET 0xc3

/* What begins the coroutine: push %rbp, which is the address after this; jmp *%rbx */
static const uint8_t fcontext_begin[] = {0x55, 0xff, 0xe3};

bool fcontext_find_begin(const uint8_t *code, uint64_t size, uint64_t *begin, bool *is_leaf)
{
	const uint8_t *found = memmem(code, size, fcontext_begin, sizeof(fcontext_begin));

	if (!found)
		return false;
	*begin = found - code;
	*is_leaf = *begin && *begin <= LEAF_BYTES && found[-1] == RET;
	return true;
}
