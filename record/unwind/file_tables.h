/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind tables of all files that samples have met. A table is made once, however many
 * processes map the file. The child makes it, or it comes from a cache. Files with one build-id
 * share a table if the parts that tables are made from have one hash, too: a build-id can lie.
 */
#ifndef RECORD_UNWIND_FILE_TABLES_H
#define RECORD_UNWIND_FILE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "record/process/mapped_files.h"
#include "record/process/mappings.h"
#include "record/unwind/file_table.h"

/*
 * Starts the child that makes tables. @cache is the directory that keeps them, or NULL. @looker
 * must outlive it. Returns 0 or a negative errno with @err set. The deinit is due in any case.
 */
int file_tables_init(struct file_tables *tables, const char *cache, struct looker *looker,
		     struct err *err);

/*
 * With the privileges in effect: may this process write to the directory that keeps tables? Also
 * true if there is no such directory. If not, *@reason is a negative errno.
 */
bool file_tables_may_keep(const struct file_tables *tables, int *reason);

/* Sets the maps that get the tables, and asks for the table of @vdso. */
void file_tables_begin(struct file_tables *tables, const struct unwind_maps *maps,
		       const struct vdso *vdso);

/*
 * Finds or adds the table for @mapping, of @file, in a process of user @uid. If only the build-id
 * of the file is known, it is not that of another user's file, unless that user is root. *@nr stays
 * valid until the next settle, and as long as the table has users. Returns 0 or -ENOMEM.
 */
int file_tables_find(struct file_tables *tables, const struct mapped_file *file,
		     const struct mapping *mapping, uint32_t uid, uint32_t *nr);

/*
 * Do the build-id and the path of @file, of which nothing else is known, tell which file it is? A
 * build-id can lie, so all files that are known to have it must have this path, too, and be root's
 * or those of user @uid.
 */
bool file_tables_know(const struct file_tables *tables, const struct mapped_file *file,
		      uint32_t uid);

/* May the tables @a and @b belong to one file, or to files with one table? */
bool file_tables_are_same(const struct file_tables *tables, uint32_t a, uint32_t b);

/* Fills @mapping for the program, with the table's place. Offset 0 of the file is at @base. */
void file_table_describe(const struct file_table *table, uint64_t base,
			 struct unwind_mapping *mapping);

/* Fills @mapping, of @file and with table number @nr, likewise. Says if it is shared memory. */
void file_tables_describe(const struct file_tables *tables, uint32_t nr,
			  const struct mapped_file *file, uint64_t base,
			  struct unwind_mapping *mapping);

/*
 * Asks for table @nr, that of @file, unless the cache or a file with the same build-id and contents
 * has it. @place maps the file; its user pays, if known. Returns 0 or -ENOMEM.
 */
int file_tables_request(struct file_tables *tables, uint32_t nr, const struct mapped_file *file,
			const struct file_place *place);

/* Takes over the tables that have been made. Returns 0 or -ENOMEM. */
int file_tables_finish(struct file_tables *tables);

/* Is the first child to make a table? It takes half a second at most for a file that stalls. */
bool file_tables_are_due(const struct file_tables *tables);

/* The program knows a mapping with table @nr from now on, or does not know it any more. */
void file_tables_use(struct file_tables *tables, uint32_t nr);
void file_tables_unuse(struct file_tables *tables, uint32_t nr);

/*
 * Call it after a grace period: forgets tables that nobody has used since the settle before, if
 * there are many or the maps are tight. Returns 0 or -ENOMEM.
 */
int file_tables_settle(struct file_tables *tables);

void file_tables_deinit(struct file_tables *tables);

#endif
