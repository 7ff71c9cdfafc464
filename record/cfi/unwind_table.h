/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table that unwinds the code of an ELF file; bpf/walk/unwind.h has its layout. It is made from
 * the file's call frame information, and from the runtime's table of functions of Go. As bytes it
 * goes to the recorder, from the process that makes it, and into files.
 */
#ifndef RECORD_CFI_UNWIND_TABLE_H
#define RECORD_CFI_UNWIND_TABLE_H

#include <stdint.h>

#include "bpf/walk/unwind.h"

#define UNWIND_HASH_BYTES 32

struct unwind_table {
	uint64_t first_off; /* file offset of page 0: a multiple of UNWIND_PAGE_SIZE */
	uint32_t nr_pages, nr_rows, nr_rules;
	struct unwind_page *pages; /* first_row: in rows; nr_rows 0: nothing is known of the page */
	uint32_t *rows;            /* numbers of rules: in rules */
	struct unwind_rule *rules; /* [0]: UNWIND_CFA_NONE */
	/* SHA-256 of the parts of the file that the table was made from */
	uint8_t hash[UNWIND_HASH_BYTES];
};

/*
 * Makes the table of the ELF file at @fd. Returns 0, -ENOEXEC (damaged, or no 64-bit ELF
 * file of this architecture), -ENODATA (no unwind information), -EFBIG (beyond a limit), -ENOMEM,
 * or a failing read's errno.
 */
int unwind_table_build(int fd, struct unwind_table *table);

/*
 * As unwind_table_build, but returns -EALREADY and makes no table if its hash would be @known.
 * Without @known (NULL) it makes the table.
 */
int unwind_table_build_unless(int fd, const uint8_t *known, struct unwind_table *table);

/* The rule for the code at file offset @off, or the rule UNWIND_NO_RULE where there is none. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t off);

/*
 * Returns the last of the @nr sorted rows of a page that begins at @in_page or before. There is a
 * row, and the first one begins at 0.
 */
uint32_t unwind_rows_find(const uint32_t *rows, uint32_t nr, uint32_t in_page);

/* Writes @table to @fd as one block of bytes, for this host. Returns 0 or a negative errno. */
int unwind_table_write(int fd, const struct unwind_table *table);

/*
 * Reads the bytes of unwind_table_write. Anybody may have written them, so every number that serves
 * as an index is checked. Returns 0, -EBADMSG when it is damaged, of another version or cut short,
 * -ENOMEM, or the errno of a failing read.
 */
int unwind_table_read(int fd, struct unwind_table *table);

/*
 * Reads the hash of the table that unwind_table_write wrote to @fd, and checks nothing else.
 * Returns 0, -EBADMSG, or the errno of a failing read.
 */
int unwind_table_read_hash(int fd, uint8_t hash[static UNWIND_HASH_BYTES]);

void unwind_table_deinit(struct unwind_table *table);

#endif
