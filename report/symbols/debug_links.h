/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that debug information leads to: the file that dwz shares among several
 * (.gnu_debugaltlink), and files of split units (.dwo). The names come from hostile files. So a
 * shared file must have the build-id of the link, and a split file the id that its unit names;
 * safe_open opens both.
 */
#ifndef REPORT_SYMBOLS_DEBUG_LINKS_H
#define REPORT_SYMBOLS_DEBUG_LINKS_H

#include "report/dwarf/dwarf_lookup.h"
#include "report/symbols/debug_info.h"
#include "report/symbols/debugfiles.h"

/*
 * Gets the file that @elf, which was opened at @path, shares with others. Sets *@alt, which the
 * caller owns, or NULL. Returns 0 or -ENOMEM.
 */
int debug_links_open_alt(const struct debug_roots *roots, struct elf_file *elf, const char *path,
			 struct debug_info **alt);

/* The files of the split units of one file; {roots, path}. */
struct debug_splits {
	const struct debug_roots *roots;
	const char *path; /* of the file with the skeletons; NULL: unknown */
};

/* Returns the functions that open and close files of @splits, which must outlive them. */
struct split_opener debug_links_splits(struct debug_splits *splits);

#endif
