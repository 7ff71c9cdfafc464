/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a command writes to: -o FILE, or standard output. A file gets its name when it is
 * whole. A command that fails leaves an older file as it was.
 */
#ifndef REPORT_WRITE_OUTPUT_FILE_H
#define REPORT_WRITE_OUTPUT_FILE_H

#include "common/err.h"
#include "report/view/source.h"
#include "report/text/textbuf.h"

/* The user's choice of a file, and the files that the command reads. All is borrowed. */
struct output_request {
	const char *name; /* NULL or "-": standard output */
	const struct source_files *inputs;
	size_t nr_inputs;
};

struct output_file {
	const char *name;    /* NULL: standard output */
	struct textbuf *out; /* to write to */
	struct textbuf text; /* of a file with a name */
	char *path, *part;   /* the final name and that of the part; NULL: written in place */
};

/*
 * Returns 0, or -EINVAL with @err set if the file of @request is also an input: the user would lose
 * it. output_file_open checks it, too. A command that works long before it writes checks it first.
 */
int output_file_check(const struct output_request *request, struct err *err);

/*
 * Opens the file of @request for writing; @standard is the text for standard output. A file that is
 * also an input is an error. @file must not move until output_file_close. Until then, a signal that
 * ends the process removes the part. Returns 0 or a negative errno with @err set.
 */
int output_file_open(struct output_file *file, const struct output_request *request,
		     struct textbuf *standard, struct err *err);

/*
 * Writes the rest, closes the file and gives it its name. @ret is the result of what was to be
 * written; if it is an error, or if the text cannot be written, no file appears. A part that is
 * whole and cannot get its name stays. Returns @ret, or a negative errno with @err set.
 */
int output_file_close(struct output_file *file, int ret, struct err *err);

#endif
