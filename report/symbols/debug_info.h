/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug information of an ELF file, ready for report/dwarf. */
#ifndef REPORT_SYMBOLS_DEBUG_INFO_H
#define REPORT_SYMBOLS_DEBUG_INFO_H

#include "report/dwarf/dwarf_units.h"
#include "report/symbols/section_bytes.h"

struct debug_info {
	struct dwarf_file file;
	struct section_bytes bytes[NR_DWARF_SECTIONS];
	struct debug_info *alt; /* owned; NULL: none */
	uint64_t dev, inode;    /* of a file of a split unit */
	char *missing_alt; /* name of the file for alt if nobody has it; NULL: none is missing */
};

/* The sections of a file: its own, or those of a split unit. */
enum debug_info_kind {
	DEBUG_INFO_WHOLE, /* .debug_info, ... */
	DEBUG_INFO_SPLIT, /* .debug_info.dwo, ... */
};

/*
 * Gets the debug sections of @elf. Sets *@info, which debug_info_close releases, or NULL if the
 * file has none. @elf may be closed before. Returns 0 or -ENOMEM.
 */
int debug_info_open(struct elf_file *elf, enum debug_info_kind kind, struct debug_info **info);

/*
 * Gives @info the file that dwz shares among files, and owns it from then on. Returns 0 or -ENOMEM;
 * the caller keeps @alt after an error.
 */
int debug_info_set_alt(struct debug_info *info, struct debug_info *alt);

/* Returns the bytes of memory that the sections take. Mapped bytes do not count. */
size_t debug_info_memory(const struct debug_info *info);

/* Releases everything; NULL is fine. */
void debug_info_close(struct debug_info *info);

#endif
