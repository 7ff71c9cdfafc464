/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text of /proc/PID/mountinfo. */
#ifndef RECORD_PROC_PROC_MOUNTS_H
#define RECORD_PROC_PROC_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Room for the name of a type of file systems. A longer one is cut. */
#define PROC_MOUNT_TYPE_SIZE 32

/*
 * Finds the type of the file system with device @dev (as makedev) in @text, as "ext4" or
 * "fuse.sshfs". Returns false if it is not mounted there.
 */
bool proc_mounts_type(const char *text, uint64_t dev, char type[PROC_MOUNT_TYPE_SIZE]);

/* Is a mount with this @id in @text? */
bool proc_mounts_has(const char *text, int id);

#endif
