/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files with an object's symbols: the binary, and the separate file with its debug
 * information. debugfiles.c lists the places.
 */
#ifndef REPORT_FILES_DEBUGFILES_H
#define REPORT_FILES_DEBUGFILES_H

#include <stdbool.h>

#include "common/err.h"
#include "format/prof.h"
#include "report/files/candidate.h"
#include "elf/elffile.h"
#include "report/files/fetcher.h"

#define DEBUG_DIRS_MAX 16

/* Directories of separate debug files that the user names. All zero: none. */
struct debug_dirs {
	const char *names[DEBUG_DIRS_MAX];
	size_t nr;
};

/* The places to look at. Start with {.symfs_fd = -1}. */
struct debug_roots {
	int symfs_fd;      /* the directory that stands for the recorded host's root, or -1 */
	const char *symfs; /* its name, for messages */
	/* Directory of separate debug files on this host, NULL for /usr/lib/debug. */
	const char *debug_dir;
	struct debug_dirs more_dirs; /* looked at before debug_dir; absolute paths */
	struct file_budget *budget;  /* charged with everything that is read; NULL: none */
	bool needs_lines;            /* a file with debug information is better */
	struct fetcher *fetcher;     /* asked for what no place has; NULL: nobody is asked */
};

/* The files found; -1 and NULL for a file that was not. Start with {-1, -1}. */
struct debug_files {
	int binary_fd, debug_fd;
	/* the names by which this host opened them, for the user */
	char *binary_path, *debug_path;
	bool is_fetched; /* one of them is from a server */
};

/* Opens the directory @dir as the symfs. Returns 0 or a negative errno with @err set. */
int debug_roots_open(struct debug_roots *roots, const char *dir, struct err *err);

/*
 * Adds the directories @dirs to more_dirs. Returns 0, or a negative errno with @err set; then call
 * debug_roots_close, too.
 */
int debug_roots_add(struct debug_roots *roots, const struct debug_dirs *dirs, struct err *err);

void debug_roots_close(struct debug_roots *roots);

/*
 * Looks for the files of @wanted. Returns 0 with *@miss and @files set, or -ENOMEM. The caller
 * closes @files.
 */
int debug_files_find(const struct debug_roots *roots, const struct debug_wanted *wanted,
		     struct debug_files *files, enum debug_miss *miss);

void debug_files_close(struct debug_files *files);

#endif
