/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MiniDebugInfo. Some distributions leave a packed ELF file in .gnu_debugdata of a stripped binary.
 * It has the symbols of the functions that .dynsym lacks. Format: "MiniDebugInfo" in the manual of
 * GDB.
 */
#ifndef ELF_MINIDEBUG_H
#define ELF_MINIDEBUG_H

#include <stdbool.h>

#include "elf/elffile.h"

/*
 * Unpacks the file in @outer. Returns 0 with *@is_open true and @inner open, or with *@is_open
 * false if there is none, if it is damaged, or if it unpacks to too much. Unpacked bytes are
 * charged to the budget of @outer. Returns -ENOMEM, too. The caller closes @inner.
 */
int minidebug_open(struct elf_file *outer, struct elf_file *inner, bool *is_open);

#endif
