/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of object files, such as kernel modules. It lacks addresses and offsets until a
 * linker, or whoever reads it, puts them in.
 */
#ifndef REPORT_SYMBOLS_RELOCATE_H
#define REPORT_SYMBOLS_RELOCATE_H

#include "report/symbols/section_bytes.h"

/*
 * Puts the values that the relocations of section @index of @file name into @bytes, its contents.
 * Takes the addresses of sections from @file->sections. Does nothing to a file that is linked.
 * Relocations that are damaged or of unknown types are passed over. Returns 0 or -ENOMEM.
 */
int section_relocate(struct elf_file *file, size_t index, struct section_bytes *bytes);

#endif
