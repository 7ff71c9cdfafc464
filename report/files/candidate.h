/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file at one of the places where an object's files are looked for. It is opened with care, and
 * taken only if it is the wanted file and better than the one that was found before.
 */
#ifndef REPORT_FILES_CANDIDATE_H
#define REPORT_FILES_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "format/prof.h"
#include "elf/elffile.h"

/* A file to look for. */
struct debug_wanted {
	const char *path;         /* the path that the recorded process saw */
	struct build_id build_id; /* size 0: none recorded */
	/* facts about a file without a build-id; NULL: unknown */
	const struct prof_file_info *file;
	uint64_t recorded_realtime_ns; /* start of the recording; 0: unknown */
	bool is_of_this_boot;          /* recorded on this host after its latest start */
	bool is_deleted;               /* the file had lost this path when it was recorded */
	/* Processes of this host that may have the file in a root of their own, or NULL. */
	const uint32_t *pids;
	size_t nr_pids;
	/* A file of the kernel has no path, but a name in brackets. */
	bool is_kernel, is_module;
	const char *const *releases; /* of the kernels that were recorded, or NULL */
	size_t nr_releases;
};

enum debug_miss {
	DEBUG_FOUND = 0,    /* there is a binary or a debug file */
	DEBUG_NO_FILE,      /* no place has a file */
	DEBUG_OTHER_FILE,   /* a file is there, but with another build-id or with none */
	DEBUG_CHANGED_FILE, /* a file is there, but it has changed since the recording */
	DEBUG_NOT_READABLE, /* a file is there, but cannot be opened or is no ELF file */
};

/* A directory that stands for "/". */
struct root {
	int fd;           /* -1: the root of this host */
	const char *name; /* before paths in it, for the user */
	bool is_host;     /* its files are those of the recorded host, in its own file systems */
};

/* A file that was found. */
struct found {
	int fd;
	char *path; /* by which this host opened it */
	enum elf_quality quality;
	bool is_fetched; /* from a server */
};

/*
 * Notes the reason for which a file was refused in *@miss, which keeps the reason that tells the
 * user most.
 */
void candidate_note_miss(enum debug_miss *miss, enum debug_miss reason);

/*
 * Opens @path in @root if it is the file with @build_id; of size 0, if the file has no build-id.
 * Returns a file descriptor, -1 for another file or none with @miss noted, or -ENOMEM.
 */
int candidate_open(const struct root *root, const char *path, const struct build_id *build_id,
		   enum debug_miss *miss);

/*
 * Like candidate_open, of a file that is packed as a whole. The descriptor is that
 * of the unpacked file, which is in memory. What is read is charged to @budget.
 */
int candidate_open_packed(const struct root *root, const char *path,
			  const struct build_id *build_id, struct file_budget *budget,
			  enum debug_miss *miss);

/*
 * Returns true if the file at @fd, which has no build-id, is not the recorded file. A good copy on
 * another host keeps size and mtime. A file on the machine of the recording (@is_host) keeps
 * inode and ctime, too.
 */
bool candidate_has_changed(int fd, bool is_host, const struct debug_wanted *wanted);

/*
 * Returns true if the CRC of the whole file is @crc, as .gnu_debuglink has it. Returns false for a
 * file that cannot be read, is too large for @budget, or is sparse: a debug file has few holes.
 */
bool candidate_has_crc(int fd, struct file_budget *budget, uint32_t crc);

/* Opens the ELF file at @fd, which stays the caller's. Returns 0, -ENOEXEC or -ENOMEM. */
int candidate_open_elf(int fd, struct file_budget *budget, struct elf_file *file);

/*
 * Takes the file at @fd, which is @path in @root, if it is better than @best. With @needs_lines, a
 * file with debug information is better than one without. @fd is closed or
 * owned by @best. Returns 1 if it was taken, 0 if not, or -ENOMEM.
 */
int candidate_take_better(struct found *best, int fd, const struct root *root, const char *path,
			  struct file_budget *budget, bool needs_lines);

/* Closes and forgets the file; {.fd = -1} is fine. */
void found_drop(struct found *found);

/* Returns true if nothing better than @found can be found. */
static inline bool found_is_best(const struct found *found, bool needs_lines)
{
	return found->fd >= 0 && found->quality >= (needs_lines ? ELF_LINES : ELF_SYMTAB);
}

#endif
