/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends a mapped file to the child that makes tables. The looker opens the file and sends it. The
 * recorder never has the descriptor, since closing one can take for ever, too.
 */
#ifndef RECORD_UNWIND_TABLE_FILE_H
#define RECORD_UNWIND_TABLE_FILE_H

#include <stdint.h>

#include "record/process/mapped_file.h"
#include "record/unwind/table_worker.h"

/* The looker's answer about a file. */
struct table_file {
	uint32_t owner; /* user id; nobody's if the file could not be opened */
	uint64_t dev;   /* as makedev; 0: not known */
};

/*
 * Has the looker open @file, which @place maps, and send it with @request to the socket @sock.
 * Fills
 * @opened in any case. Returns 0 or a negative errno: -ESTALE if the file has changed, -E2BIG if
 * its path is too long.
 */
int table_file_send(struct looker *looker, const struct table_request *request,
		    const struct mapped_file *file, const struct file_place *place, int sock,
		    struct table_file *opened);

#endif
