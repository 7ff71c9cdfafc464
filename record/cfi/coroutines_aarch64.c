// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/coroutines.h"

#include <string.h>

#define INSN_BYTES 4

/*
 * The coroutine's function returns to code that ends the process, and that is after the end of
 * make_fcontext's own: ret; mov x0, #0; bl _exit.
 */
static const uint32_t fcontext_end[] = {0xd65f03c0, 0xd2800000};

bool fcontext_find_begin(const uint8_t *code, uint64_t size, uint64_t *begin, bool *is_leaf)
{
	const uint8_t *found = memmem(code, size, fcontext_end, sizeof(fcontext_end));

	if (!found)
		return false;
	/* A return address is looked up at the byte before. */
	*begin = found - code + INSN_BYTES - 1;
	*is_leaf = true;
	return true;
}
