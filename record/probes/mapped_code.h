/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a process has mapped executable, as /proc shows them to the finder of probes. */
#ifndef RECORD_PROBES_MAPPED_CODE_H
#define RECORD_PROBES_MAPPED_CODE_H

#include <stdint.h>

#include "common/vec.h"

struct mapped_code {
	uint64_t start, end, pgoff;
	char *path; /* as /proc/PID/maps has it */
};

typedef VEC(struct mapped_code) mapped_code_vec;

/*
 * Adds the executable mappings of files of process @pid, in order. Returns 0 or a negative errno.
 * The caller frees them also after an error.
 */
int mapped_code_read(uint32_t pid, mapped_code_vec *code);

/*
 * Opens the mapped file, also a deleted one or one of another mount namespace. Returns a descriptor
 * or a negative errno.
 */
int mapped_code_open(uint32_t pid, const struct mapped_code *code);

void mapped_code_free(mapped_code_vec *code);

/* Writes the last part of @path, without the mark of a deleted file, to new memory, or NULL. */
char *mapped_code_name(const char *path);

#endif
