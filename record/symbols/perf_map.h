/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map that a just-in-time compiler writes of its code: /tmp/perf-PID.map, one line for each
 * function, appended as they come. The file belongs to the process that is profiled and may hold
 * anything, of any size: only regular files of the right owner are opened, and the cost of reading
 * one is bounded in time and memory.
 */
#ifndef RECORD_SYMBOLS_PERF_MAP_H
#define RECORD_SYMBOLS_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/vec.h"

/* A larger file is not read. A million functions are about this much. */
#define PERF_MAP_MAX_BYTES (64u << 20)

/* Longer names are cut. */
#define PERF_MAP_NAME_MAX 1024

/* [start, start + size) is called name: the first @len bytes at it, neither newline nor NUL. */
struct perf_map_entry {
	uint64_t start, size;
	const char *name;
	size_t len;
};

/*
 * Parses the @len bytes of a line, without its newline: start and size in hex, with or without 0x,
 * and a name up to the end. False when it is no such line, or covers nothing.
 */
bool perf_map_parse(const char *line, size_t len, struct perf_map_entry *entry);

/* An address and the entry that was the last to cover it. */
struct perf_map_hit {
	uint64_t addr;
	uint64_t start, size; /* size 0: none did */
	uint64_t name_off;    /* in the file */
	uint32_t name_len;    /* bytes, at most PERF_MAP_NAME_MAX */
};

/*
 * Looks up @nr hits, sorted by address, in the map open at @fd. Returns 0, -ENOMEM, or the errno of
 * a failing read; what was found until then stands.
 */
int perf_map_lookup(int fd, struct perf_map_hit *hits, size_t nr);

/* Reads the name of a hit that was found into @name, NUL-terminated; "" when it is not there. */
void perf_map_name(int fd, const struct perf_map_hit *hit, char name[static PERF_MAP_NAME_MAX + 1]);

/*
 * Opens perf-@pid.map in the directory open at @dir_fd: a regular file, not through a link, of at
 * most PERF_MAP_MAX_BYTES, that belongs to root or @uid. Returns a file descriptor or a negative
 * errno: -EPERM for another owner, -EFBIG, -EINVAL for what is no regular file.
 */
int perf_map_open(int dir_fd, uint32_t pid, uid_t uid);

#endif
