/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends a mapped file to a child that reads it. The looker opens the file and sends it. The
 * recorder never has the descriptor, since closing one can take for ever, too.
 */
#ifndef RECORD_LOOKS_FILE_SEND_H
#define RECORD_LOOKS_FILE_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/looks/mapped_file.h"

/* A message that goes with the file. */
struct file_message {
	int sock; /* to the child */
	const void *bytes;
	size_t nr;
};

/* The looker's answer about a file. */
struct sent_file {
	uint32_t owner; /* as of file_owner; nobody's if the file could not be opened */
	bool is_mapped; /* the place was seen to map this very inode, just now */
	struct file_identity identity; /* from stat; all zero: not known */
};

/*
 * Has the looker open @file, which @place maps, and send it with @message. Fills @sent in any case.
 * Returns 0 or a negative errno: -ESTALE if the file has changed, -E2BIG if its path is too long.
 */
int file_send(struct looker *looker, const struct mapped_file *file, const struct file_place *place,
	      const struct file_message *message, struct sent_file *sent);

#endif
