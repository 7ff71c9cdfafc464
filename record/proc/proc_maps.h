/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text of /proc/PID/maps. */
#ifndef RECORD_PROC_PROC_MAPS_H
#define RECORD_PROC_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

struct proc_map {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;
	uint64_t dev; /* as makedev */
	uint64_t inode;
	bool readable, executable;
	const char *path; /* NUL-terminated, "" when anonymous; newlines are decoded */
};

/*
 * Parses the line at @line, which ends at its newline or NUL. Changes it: decodes the path in
 * place. Returns the start of the next line, or NULL when @line is not a line of that file.
 */
char *proc_map_parse(char *line, struct proc_map *map);

typedef int (*proc_map_fn)(void *ctx, const struct proc_map *map);

/*
 * Reads the text at @fd, of any length, into @scratch part by part. Hands its mappings to @fn, up
 * to the first line that is no mapping. Returns 0, -ESRCH when there is no text, a read's errno,
 * -EBADMSG for a line that does not end, -ENOMEM, or @fn's error.
 */
int proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx);

#endif
