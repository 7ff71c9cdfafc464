// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/user_mount.h"

#include <linux/major.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* fs/fuse/inode.c of Linux, which older headers lack. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

bool user_mount_has(int fd, const struct stat *st)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	return fs.f_flags & ST_NOSUID &&
	       (fs.f_type == FUSE_SUPER_MAGIC || major(st->st_dev) == LOOP_MAJOR);
}
