/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files that have an object's symbols: the binary itself and the separate file with its
 * debug information. debugfiles.c says where it looks.
 */
#ifndef REPORT_SYMBOLS_DEBUGFILES_H
#define REPORT_SYMBOLS_DEBUGFILES_H

#include <stdbool.h>

#include "common/buildid.h"
#include "common/err.h"
#include "format/prof.h"
#include "report/symbols/elffile.h"

/* Where to look. Start with {.symfs_fd = -1}. */
struct debug_roots {
	int symfs_fd;      /* directory that stands for the recorded host's root, or -1 */
	const char *symfs; /* its name, for messages */
	/* Directory of separate debug files on this machine, NULL for /usr/lib/debug. */
	const char *debug_dir;
	struct file_budget *budget; /* for all that is read; NULL: none */
};

/* What is looked for. */
struct debug_wanted {
	const char *path;                  /* as the recorded process saw it */
	struct build_id build_id;          /* size 0: none recorded */
	const struct prof_file_info *file; /* without a build-id: what it was; NULL: not known */
	uint64_t recorded_realtime_ns;     /* of the recording's start; 0: not known */
	bool is_of_this_boot;              /* of this machine, and since it was started */
	bool is_deleted; /* the path was no longer that file's when it was recorded */
};

enum debug_miss {
	DEBUG_FOUND = 0,    /* there is a binary or a debug file */
	DEBUG_NO_FILE,      /* nothing is where it could be */
	DEBUG_OTHER_FILE,   /* a file is there, but with another build-id or with none */
	DEBUG_CHANGED_FILE, /* a file is there, but not as it was when it was recorded */
	DEBUG_NOT_READABLE, /* a file is there, but cannot be opened or is no ELF file */
};

/* The files found, -1 and NULL where there is none. Start with {-1, -1}. */
struct debug_files {
	int binary_fd, debug_fd;
	char *binary_path, *debug_path; /* to show: as opened on this machine */
};

/* Opens the directory @dir as the symfs. Returns 0 or a negative errno with @err set. */
int debug_roots_open(struct debug_roots *roots, const char *dir, struct err *err);

void debug_roots_close(struct debug_roots *roots);

/*
 * Looks for the files of @wanted. Returns 0 with *@miss set (and @files, which the caller
 * closes), or -ENOMEM.
 */
int debug_files_find(const struct debug_roots *roots, const struct debug_wanted *wanted,
		     struct debug_files *files, enum debug_miss *miss);

void debug_files_close(struct debug_files *files);

#endif
