/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places where distributions and builders put the files of a kernel, with debug information. */
#ifndef REPORT_FILES_KERNEL_PATHS_H
#define REPORT_FILES_KERNEL_PATHS_H

#include <stdbool.h>

#include "common/vec.h"

/* A file of the kernel: vmlinux, or a module. */
struct kernel_file {
	const char *release; /* of the kernel, as uname -r prints it */
	const char *module;  /* name of the module; NULL: vmlinux */
};

/* Paths, which kernel_paths_free releases. */
typedef VEC(char *) kernel_paths;

/*
 * Appends the paths of files in the directory open at @dir_fd that may be @file, without symbolic
 * links that lead out of it. @dir_fd is a root, such as /, if @is_root, else it is a directory of
 * debug files, such as /usr/lib/debug. Paths begin with '/'. Looks at the names of files only, and
 * not at too many. A release that is not the name of a directory has no paths. Returns 0 or
 * -ENOMEM.
 */
int kernel_paths_find(int dir_fd, bool is_root, const struct kernel_file *file,
		      kernel_paths *paths);

/* Returns true if the name of the file says that it is packed as a whole. */
bool kernel_path_is_packed(const char *path);

void kernel_paths_free(kernel_paths *paths);

#endif
