/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols that a stripped file has elsewhere: in a debug file under /usr/lib/debug that is
 * known by the build-id, or packed in a section of its own (MiniDebugInfo).
 */
#ifndef RECORD_PROBES_DEBUG_SYMBOLS_H
#define RECORD_PROBES_DEBUG_SYMBOLS_H

#include "elf/elf_image.h"

/*
 * Opens the debug file of @elf, else its MiniDebugInfo. Returns a descriptor, -ENOENT if there is
 * neither, or -ENOMEM. The file holds symbols with the addresses of @elf, and no code.
 */
int debug_symbols_open(const struct elf_image *elf);

#endif
