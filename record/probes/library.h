/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds libraries and executables by their short names, in the way of bcc: "c" is libc.so.6. With a
 * process, the name means the file that this process has mapped, also a deleted one or one in
 * another mount namespace. Without a process it means the file that the loader would choose, or
 * else a program in PATH.
 */
#ifndef RECORD_PROBES_LIBRARY_H
#define RECORD_PROBES_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"

/* An open file, found by a name. */
struct library {
	int fd;     /* for reading; -1: none */
	char *path; /* for messages: as the finder saw it */
	uint64_t dev, inode;
};

/*
 * Finds and opens the library @name for process @pid (0: for no process). Returns 0 or a negative
 * errno with @err set. The caller calls library_close.
 */
int library_open(const char *name, uint32_t pid, struct library *library, struct err *err);

void library_close(struct library *library);

/* Could library_open find @name for one of @pids, or for no process if there are none? */
bool library_exists(const char *name, const u32_vec *pids);

/*
 * Finds the library of @name in the text of the loader's cache (ld.so.cache, the format of glibc
 * 2.2 and later). Returns its path, which lies in @cache, or NULL.
 */
const char *library_in_cache(const char *cache, size_t size, const char *name);

/* Is @file, the last part of a path, the library or the executable of that @name? */
bool library_is_named(const char *file, const char *name);

#endif
