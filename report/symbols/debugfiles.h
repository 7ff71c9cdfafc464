/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files with an object's symbols: the binary, and the separate file with its debug
 * information. debugfiles.c lists the places.
 */
#ifndef REPORT_SYMBOLS_DEBUGFILES_H
#define REPORT_SYMBOLS_DEBUGFILES_H

#include <stdbool.h>

#include "common/buildid.h"
#include "common/err.h"
#include "format/prof.h"
#include "report/symbols/elffile.h"

/* The places to look at. Start with {.symfs_fd = -1}. */
struct debug_roots {
	int symfs_fd;      /* the directory that stands for the recorded host's root, or -1 */
	const char *symfs; /* its name, for messages */
	/* Directory of separate debug files on this machine, NULL for /usr/lib/debug. */
	const char *debug_dir;
	struct file_budget *budget; /* charged with everything that is read; NULL: none */
};

/* A file to look for. */
struct debug_wanted {
	const char *path;         /* the path that the recorded process saw */
	struct build_id build_id; /* size 0: none recorded */
	/* facts about a file without a build-id; NULL: unknown */
	const struct prof_file_info *file;
	uint64_t recorded_realtime_ns; /* start of the recording; 0: unknown */
	bool is_of_this_boot;          /* recorded on this machine after its latest start */
	bool is_deleted;               /* the file had lost this path when it was recorded */
};

enum debug_miss {
	DEBUG_FOUND = 0,    /* there is a binary or a debug file */
	DEBUG_NO_FILE,      /* no place has a file */
	DEBUG_OTHER_FILE,   /* a file is there, but with another build-id or with none */
	DEBUG_CHANGED_FILE, /* a file is there, but it has changed since the recording */
	DEBUG_NOT_READABLE, /* a file is there, but cannot be opened or is no ELF file */
};

/* The files found; -1 and NULL for a file that was not. Start with {-1, -1}. */
struct debug_files {
	int binary_fd, debug_fd;
	/* the names by which this machine opened them, for the user */
	char *binary_path, *debug_path;
};

/* Opens the directory @dir as the symfs. Returns 0 or a negative errno with @err set. */
int debug_roots_open(struct debug_roots *roots, const char *dir, struct err *err);

void debug_roots_close(struct debug_roots *roots);

/*
 * Looks for the files of @wanted. Returns 0 with *@miss and @files set, or -ENOMEM. The caller
 * closes @files.
 */
int debug_files_find(const struct debug_roots *roots, const struct debug_wanted *wanted,
		     struct debug_files *files, enum debug_miss *miss);

void debug_files_close(struct debug_files *files);

#endif
