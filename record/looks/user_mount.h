/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts that programs make for users, who choose the contents and so the owners of files. */
#ifndef RECORD_LOOKS_USER_MOUNT_H
#define RECORD_LOOKS_USER_MOUNT_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Is the file at @fd, whose state is @st, of FUSE or of a loop device, as fusermount3 and udisks
 * mount them for users?
 */
bool user_mount_has(int fd, const struct stat *st);

#endif
