/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payload of a table section: a head of varints (numbers of rows and the like), the byte
 * lengths of the columns, and the columns. Each field of a table is a column of its own, because
 * similar values compress well side by side. The lengths are known, so a decoder walks all columns
 * of a table at once, row by row.
 */
#ifndef FORMAT_COLUMNS_H
#define FORMAT_COLUMNS_H

#include "common/cursor.h"
#include "format/bytes.h"
#include "format/fault.h"

/* No table has more columns than this. */
#define COLUMNS_MAX 9

/* A payload that is being made. An all-zero one is empty. */
struct columns {
	struct bytes part[1 + COLUMNS_MAX]; /* the head, then the columns */
	unsigned int nr;                    /* columns in use */
};

/* Empties the payload, keeps its memory, and gives it @nr columns. */
void columns_begin(struct columns *cols, unsigned int nr);

/* Appends the columns' lengths to the head. Returns 0, or -ENOMEM if an append failed. */
int columns_finish(struct columns *cols);

/* Releases the memory. */
void columns_deinit(struct columns *cols);

static inline struct bytes *columns_head(struct columns *cols)
{
	return &cols->part[0];
}

static inline struct bytes *columns_col(struct columns *cols, unsigned int col)
{
	return &cols->part[1 + col];
}

/*
 * Reads the lengths of @nr columns from @payload, whose head has been read, and makes a cursor for
 * each. The columns must fill the rest of the payload. Returns 0 or -EBADMSG.
 */
int columns_split(struct cursor *payload, struct cursor *cols, unsigned int nr,
		  struct fault *fault);

/* Checks that @nr columns were well-formed and are used up. Returns 0 or -EBADMSG. */
int columns_check_done(const struct cursor *cols, unsigned int nr, struct fault *fault);

/*
 * Checks a number of rows, @nr, against @limit, and against the bytes of @col, which holds at least
 * one byte for each row. Call it before allocating memory for the rows. Returns 0 or -EBADMSG.
 */
int columns_check_rows(const struct cursor *col, uint64_t nr, uint64_t limit, const char *what,
		       struct fault *fault);

#endif
