/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a command writes to: -o FILE, or standard output. */
#ifndef REPORT_COMMANDS_OUTPUT_FILE_H
#define REPORT_COMMANDS_OUTPUT_FILE_H

#include "common/err.h"
#include "report/text/textbuf.h"

struct output_file {
	const char *name;    /* NULL: standard output */
	struct textbuf *out; /* to write to */
	struct textbuf text; /* of a file with a name */
};

/*
 * Opens the file @name for writing. NULL or "-" stands for @standard, the text for standard output.
 * @file must not move until output_file_close. Returns 0 or a negative errno with @err set.
 */
int output_file_open(struct output_file *file, const char *name, struct textbuf *standard,
		     struct err *err);

/*
 * Writes the rest and closes the file. @ret is the result of what was to be written; if it is an
 * error, or if the text cannot be written, a regular file is removed. Returns @ret, or a negative
 * errno with @err set.
 */
int output_file_close(struct output_file *file, int ret, struct err *err);

#endif
