/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner of a file, as far as the file system is to be believed. Users can have file systems
 * mounted whose contents they choose: a FUSE server of their own, or an image in a loop device.
 * Such a file system claims any owner, root among them. The programs that mount for users
 * (fusermount3, udisks) set nosuid for that very reason, and the user cannot take it away. In a
 * user namespace, the kernel itself lets nothing claim a user outside of that namespace.
 */
#ifndef RECORD_PROCESS_FILE_OWNER_H
#define RECORD_PROCESS_FILE_OWNER_H

#include <stdint.h>
#include <sys/stat.h>

/* Stands for the owner that a user's own file system claims. No file has this user id. */
#define FILE_OWNER_UNSURE UINT32_MAX

/* The user id of the owner of the file at @fd, whose state is @st, or FILE_OWNER_UNSURE. */
uint32_t file_owner(int fd, const struct stat *st);

#endif
