/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identity of a file whose contents nothing names, since it has no build-id. Device and inode
 * do not suffice: programs write files anew in place, and file systems use inodes again. So size
 * and times belong to the identity, if the recorder could look at the file.
 */
#ifndef RECORD_LOOKS_FILE_IDENTITY_H
#define RECORD_LOOKS_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "record/looks/looker.h"

struct file_identity {
	bool is_stat;        /* from stat; else device, inode and generation from the kernel */
	uint64_t dev;        /* as makedev */
	uint64_t inode;      /* 0: not known */
	uint64_t generation; /* of the inode; only without stat; 0: not known */
	uint64_t size;       /* bytes */
	int64_t mtime_ns, ctime_ns; /* since 1970 */
	uint32_t owner;             /* user id; only from stat, and no part of what is compared */
};

/* Has the file open at @fd the identity @identity, which is from stat? */
bool file_identity_is_of_fd(const struct file_identity *identity, int fd);

struct file_identity file_identity_of_stat(const struct stat *st);

/* The device @dev, which is as of makedev, as the kernel has it (include/linux/kdev_t.h). */
uint64_t file_identity_kernel_dev(uint64_t dev);

bool file_identity_equal(const struct file_identity *a, const struct file_identity *b);

uint64_t file_identity_hash(const struct file_identity *identity, uint64_t seed);

#define FILE_PLACE_ANCESTORS 2

/* A mapping of a process, and the time since which it is there. */
struct file_place {
	uint32_t pid;
	/* The parent and its parent, 0: not known. They mostly have the root directory of @pid. */
	uint32_t ancestors[FILE_PLACE_ANCESTORS];
	uint64_t start, end;  /* [start, end) */
	uint64_t realtime_ns; /* 0: the process maps it now */
	uint64_t space;       /* generation of the address space and 1; 0: not known */
	uint32_t owner;       /* effective user id of the process and 1; 0: not known */
	uint32_t user;        /* real user id and 1, as a sample has told it; 0: not known */
	/* No file: what that variable leads to (record/machines/registered_code.h); 0: a file. */
	uint64_t made_by;
};

/*
 * Finds the file that @place maps, by construction the mapped one, also when it is deleted or
 * hidden. It is on device @dev (0: not known). Opens nothing. Returns a descriptor (O_PATH) or a
 * negative errno.
 * @look may be NULL.
 */
int file_place_find(struct look *look, const struct file_place *place, uint64_t dev);

/*
 * Looks at the file that @place maps, which has the device and the inode of *@identity and is
 * called @path; NULL if it has been deleted. Takes the mapping itself, or else the path, if that
 * still names the file. Returns true with *@identity from stat, or false with *@identity unchanged.
 * @look may be NULL.
 */
bool file_identity_look(struct look *look, const struct file_place *place, const char *path,
			struct file_identity *identity);

#endif
