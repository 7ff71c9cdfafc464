/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that debug information leads to: the file that dwz shares among several
 * (.gnu_debugaltlink), files of split units (.dwo), and packages of these (.dwp). The names come
 * from hostile files. So a shared file must have the build-id of the link, and a split unit the id
 * that its skeleton names; safe_open opens all of them.
 */
#ifndef REPORT_SYMBOLS_DEBUG_LINKS_H
#define REPORT_SYMBOLS_DEBUG_LINKS_H

#include "common/index.h"
#include "common/vec.h"
#include "report/dwarf/dwarf_lookup.h"
#include "report/symbols/debug_info.h"
#include "report/files/debugfiles.h"

/*
 * Gets the file that @elf, which was opened at @path, shares with others. Sets *@alt, or NULL, and
 * *@missing to the name of the file if it was not found, else NULL. The caller owns both, *@missing
 * by malloc. Returns 0 or -ENOMEM.
 */
int debug_links_open_alt(const struct debug_roots *roots, struct elf_file *elf, const char *path,
			 struct debug_info **alt, char **missing);

/* A file that was opened for a split unit. */
struct opened_split {
	uint64_t dev, inode;
};

/* The files of the split units of one file, whose skeletons are in a binary or its debug file. */
struct debug_splits {
	const struct debug_roots *roots;
	const char *binary, *debug; /* paths; NULL: unknown, or there is no such file */
	struct build_id build_id;   /* of both; size 0: none */
	/* for this module */
	struct debug_info *package; /* NULL: none */
	bool has_asked;             /* for the package */
	VEC(struct opened_split) opened;
	struct index by_id;
};

/* Returns the functions that open and close files of @splits, which must outlive them. */
struct split_opener debug_links_splits(struct debug_splits *splits);

/* Closes the package, and forgets the files. Call it after the last use of the functions. */
void debug_splits_close(struct debug_splits *splits);

#endif
