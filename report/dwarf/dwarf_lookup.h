/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds functions and lines of many addresses of a file at once. The addresses are sorted to the
 * units that have them. Then each of these units is read once, and no other: its line program and
 * its tree of functions. Several threads read units.
 */
#ifndef REPORT_DWARF_DWARF_LOOKUP_H
#define REPORT_DWARF_DWARF_LOOKUP_H

#include "report/dwarf/dwarf_units.h"
#include "report/dwarf/source_frames.h"

/* An address. Its frames are frames->frames.data[first, first + nr); nr 0: nothing is known. */
struct source_hit {
	uint64_t addr;
	uint32_t first, nr;
};

/*
 * Opens the files of split units: compilers can leave most of a unit in a file of its own. One
 * thread calls at a time.
 */
struct split_opener {
	/*
	 * Sets *@file to the file with the rest of @skeleton, or to NULL if there is none. The
	 * units of the file are not read yet. Adds to *@bytes the bytes that were opened for it: a
	 * file counts once, however many skeletons lead to it. Returns 0 or -ENOMEM.
	 */
	int (*open)(void *ctx, const struct dwarf_unit *skeleton, struct dwarf_file **file,
		    uint64_t *bytes);
	void (*close)(void *ctx, struct dwarf_file *file);
	void *ctx;
};

/*
 * Looks up the @nr addresses of @file in @hits, sorted, and appends what it finds to @frames.
 * Damaged parts are left out. Reads the units of @file, and of its alt, unless that was done.
 * @splits may be NULL. Returns 0, -ENOMEM, or -E2BIG if the file would take too much work; some
 * addresses may have their frames then.
 */
int dwarf_lookup(struct dwarf_file *file, const struct split_opener *splits,
		 struct source_hit *hits, size_t nr, struct source_frames *frames);

#endif
