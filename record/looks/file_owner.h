/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner of a file, as far as the file system is to be believed. Users can have file systems
 * mounted whose contents they choose, and which claim any owner, root among them: a FUSE server of
 * their own, an image of ext4 or btrfs in a loop device, and in a user namespace an overlay over
 * these. The programs that mount for users (fusermount3, udisks) set nosuid for that very reason,
 * and the user cannot take it away. What is mounted in a user namespace stays in mount namespaces
 * that belong to it.
 */
#ifndef RECORD_LOOKS_FILE_OWNER_H
#define RECORD_LOOKS_FILE_OWNER_H

#include <stdint.h>
#include <sys/stat.h>

#include "record/looks/file_identity.h"

/* Stands for the owner that a user's own file system claims. No file has this user id. */
#define FILE_OWNER_UNSURE UINT32_MAX

/*
 * The user id of the owner of the file at @fd, whose state is @st, and which @place maps. Where
 * only a user's own file system may have it, the user of the process is its owner, or
 * FILE_OWNER_UNSURE if that is root.
 */
uint32_t file_owner(int fd, const struct stat *st, const struct file_place *place);

/*
 * Who answers for the process of @place: place->user, which holds also if the process has gone and
 * its id is used again. Where that is root, who may work for another user, or not known, it is
 * proc_owner.
 */
uint32_t file_place_user(const struct file_place *place);

#endif
