/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory that a command writes. Its files are made in a directory beside it, which gets the
 * name when all are whole. So the name has all files or none.
 */
#ifndef REPORT_WRITE_OUTPUT_DIRECTORY_H
#define REPORT_WRITE_OUTPUT_DIRECTORY_H

#include <stddef.h>

#include "common/err.h"

struct output_directory {
	char *name, *part; /* the final name and that of the part */
	const char *const *files;
	size_t nr_files;
	int fd;   /* of the part */
	int *fds; /* of the files */
};

/*
 * Creates the part of the directory @name, with the @nr @files in it, which are borrowed. A
 * directory that has files already is an error. @directory must not move until
 * output_directory_close. Until then a signal that ends the process removes the part. Returns 0 or
 * a negative errno with @err set.
 */
int output_directory_open(struct output_directory *directory, const char *name,
			  const char *const *files, size_t nr, struct err *err);

/*
 * Closes the files and gives the directory its name, or removes it if @ret is an error. Files and
 * name are on the disk then, and survive a loss of power. Returns @ret, or a negative errno with
 * @err set. If the name alone cannot be synced, the directory keeps it.
 */
int output_directory_close(struct output_directory *directory, int ret, struct err *err);

#endif
