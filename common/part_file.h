/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is being written has a name of its own beside the name that it gets in the end. So
 * nobody takes a part for the whole, and a writer that fails leaves an older file as it was.
 */
#ifndef COMMON_PART_FILE_H
#define COMMON_PART_FILE_H

#include <sys/types.h>

/* What is recorded of processes is for nobody else until the user says so. */
#define PRIVATE_FILE_MODE 0600

/*
 * Creates a new private file for writing beside @path: *@fd, under the name *@part. The caller
 * closes and frees them. Returns 0 or a negative errno. On failure *@part is the last name that was
 * tried, which the caller frees, or NULL.
 */
int part_file_create(const char *path, int *fd, char **part);

#endif
