// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/file_owner.h"

#include <linux/magic.h>
#include <linux/major.h>
#include <stdbool.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* fs/fuse/inode.c of Linux, which older headers lack. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

/* Can the file system be one whose contents a user without privileges chooses? */
static bool is_of_user(int fd, const struct stat *st)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	return fs.f_flags & ST_NOSUID &&
	       (fs.f_type == FUSE_SUPER_MAGIC || major(st->st_dev) == LOOP_MAJOR);
}

uint32_t file_owner(int fd, const struct stat *st)
{
	return is_of_user(fd, st) ? FILE_OWNER_UNSURE : st->st_uid;
}
