/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a vdso without call frame information, as that of arm64 is: functions that leave the
 * stack and the return address where they are, and the code to which handlers of signals return. A
 * walk would else pass over the callers of the former, and end at the latter where it has no code
 * to look at, as in early samples. Runs in the table child.
 */
#ifndef RECORD_CFI_BARE_VDSO_H
#define RECORD_CFI_BARE_VDSO_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_image.h"

/* A vdso has half a dozen. */
#define BARE_FUNCTIONS_MAX 16

/* As linked. */
struct bare_function {
	uint64_t start, end;
	uint64_t is_handler_return; /* from the byte on at which a return to it is looked up */
};

/*
 * Finds such functions in @file, if it is a vdso of an architecture that has them, and sets *@nr.
 * Returns 0, -ENOMEM, or the error of a section that cannot be read.
 */
int bare_vdso_find(const struct elf_image *file,
		   struct bare_function found[static BARE_FUNCTIONS_MAX], size_t *nr);

#endif
