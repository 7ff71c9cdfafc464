/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a table's file, as packed_rows makes it. Others may have made the file: sizes have
 * limits, and the message of an error names the line.
 */
#ifndef REPORT_TABLES_TABLE_LINES_H
#define REPORT_TABLES_TABLE_LINES_H

#include <zstd.h>

#include "common/err.h"
#include "report/text/textbuf.h"

/* A field, or a part of one. It is not NUL-terminated. */
struct table_field {
	const char *s;
	size_t len;
};

/* The most fields of a line. */
#define TABLE_FIELDS_MAX 16

/* table_lines_open makes them. */
struct table_lines {
	int fd;
	const char *name; /* of the file, for messages */
	uint32_t nr_fields;
	ZSTD_DCtx *context;
	struct textbuf packed; /* read, and unpacked up to nr_used */
	size_t nr_used;
	struct textbuf text; /* unpacked; lines up to start are done */
	size_t start;
	bool is_whole; /* no frame of zstd is open */
	uint64_t nr_bytes, nr_lines;
};

/*
 * Begins to read @fd, which is borrowed, as the borrowed @name is. A line has @nr_fields. Returns 0
 * or -ENOMEM with @err set. table_lines_close takes them in both cases.
 */
int table_lines_open(struct table_lines *lines, int fd, const char *name, uint32_t nr_fields,
		     struct err *err);

void table_lines_close(struct table_lines *lines);

/*
 * Reads a line. Returns 1 with its fields, which live until the next call, and follow each other in
 * memory with a byte between them. Returns 0 at the end, or a negative errno with @err set: -EINVAL
 * for bytes that are no table.
 */
int table_lines_next(struct table_lines *lines, struct table_field fields[TABLE_FIELDS_MAX],
		     struct err *err);

/* Sets @err to an error of the line that was read last. Returns -EINVAL. */
int table_lines_refuse(const struct table_lines *lines, const char *reason, struct err *err);

/* Returns true if @field is a number, and sets *@value. */
bool table_field_u64(const struct table_field *field, uint64_t *value);

bool table_field_is(const struct table_field *field, const char *text);

#endif
