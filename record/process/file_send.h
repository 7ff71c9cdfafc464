/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends a mapped file to a child that reads it. The looker opens the file and sends it. The
 * recorder never has the descriptor, since closing one can take for ever, too.
 */
#ifndef RECORD_PROCESS_FILE_SEND_H
#define RECORD_PROCESS_FILE_SEND_H

#include <stddef.h>
#include <stdint.h>

#include "record/process/mapped_file.h"

/* A message that goes with the file. */
struct file_message {
	int sock; /* to the child */
	const void *bytes;
	size_t nr;
};

/* The looker's answer about a file. */
struct sent_file {
	uint32_t owner; /* user id; nobody's if the file could not be opened */
	uint64_t dev;   /* as makedev; 0: not known */
	uint64_t ino;
};

/*
 * Has the looker open @file, which @place maps, and send it with @message. Fills @sent in any case.
 * Returns 0 or a negative errno: -ESTALE if the file has changed, -E2BIG if its path is too long.
 */
int file_send(struct looker *looker, const struct mapped_file *file, const struct file_place *place,
	      const struct file_message *message, struct sent_file *sent);

#endif
