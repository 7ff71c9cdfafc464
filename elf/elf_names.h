/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the addresses of an object from its ELF files: the binary, and the file with its debug
 * information. All symbol tables count together, those of MiniDebugInfo, too. An address that none
 * of them covers may be in a stub of the PLT. For all others, the bounds of the function may be
 * known.
 */
#ifndef ELF_ELF_NAMES_H
#define ELF_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/name_parts.h"
#include "elf/bounds.h"
#include "elf/elffile.h"
#include "elf/gopclntab.h"
#include "elf/plt.h"
#include "elf/ranges.h"
#include "elf/symtab.h"

/* All zero at the start. */
struct elf_names {
	struct symtab symtab;
	enum elf_quality quality; /* of the best table that was read */
	struct elf_file mini;     /* MiniDebugInfo */
	bool has_mini;
	/*
	 * The parts that gave ranges, of the binary and of the debug file: bits of enum name_part.
	 */
	uint8_t parts[2];
	struct plt plt[2]; /* of the binary, of the debug file */
	struct gopclntab go[2];
	struct bounds bounds[2];
};

/*
 * Sets the ranges of the sorted @hits. A range without a name has the bounds of a function. @binary
 * and @debug are of one build-id; either may be NULL. The ranges live as long as @names and the
 * files. Returns 0 or -ENOMEM.
 */
int elf_names_resolve(struct elf_names *names, struct elf_file *binary, struct elf_file *debug,
		      struct range_hit *hits, size_t nr_hits);

/* Returns true if the files have names of functions, whether they cover a hit or not. */
bool elf_names_has_any(const struct elf_names *names);

void elf_names_deinit(struct elf_names *names);

#endif
