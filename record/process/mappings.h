/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of one process: a list that is sorted by address and free of overlaps.
 * The files that are mapped are in a table that many processes share.
 */
#ifndef RECORD_PROCESS_MAPPINGS_H
#define RECORD_PROCESS_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/process/mapped_files.h"

struct mapping {
	uint64_t start, end;       /* [start, end) */
	uint64_t pgoff;            /* file offset of start; 0 if it is no file */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC: when it was in force */
	uint32_t file;             /* in the table of files */
	uint32_t text;             /* and 1: the file that had text there before; 0: none */
};

typedef VEC(struct mapping) mapping_vec;

/* The file of @mapping, which is in @files. Valid until a file is added. */
static inline struct mapped_file *mapping_file(const struct mapped_files *files,
					       const struct mapping *mapping)
{
	return &files->files.data[mapping->file];
}

/* The position of the first mapping that ends after @addr, or the number of mappings. */
size_t mappings_position(const mapping_vec *mappings, uint64_t addr);

/* The mapping that holds @addr, or NULL. Valid until the list changes. */
const struct mapping *mappings_find(const mapping_vec *mappings, uint64_t addr);

/* Inserts a mapping at position @at, where it must be in order. Returns 0 or -ENOMEM. */
int mappings_insert(mapping_vec *mappings, size_t at, const struct mapping *mapping);

void mappings_remove(mapping_vec *mappings, size_t at);

/*
 * Appends a mapping that ends after all others. Where it overlaps them, it takes their place.
 * Returns 0 or -ENOMEM.
 */
int mappings_append(mapping_vec *mappings, const struct mapping *mapping);

#endif
