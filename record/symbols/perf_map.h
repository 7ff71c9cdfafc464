/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map that a just-in-time compiler writes of its code: /tmp/perf-PID.map. The compiler appends
 * one line for each function. The file belongs to the profiled process and may hold anything, of
 * any size. So only regular files of the right owner are opened, and the cost of reading one is
 * bounded in time and memory.
 */
#ifndef RECORD_SYMBOLS_PERF_MAP_H
#define RECORD_SYMBOLS_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/vec.h"

/* A larger file is not read. A million functions take about this much. */
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
 * Parses the @len bytes of a line, without its newline. A line has start and size in hex, with or
 * without 0x, and a name up to the end. Returns false when it is no such line, or covers nothing.
 */
bool perf_map_parse(const char *line, size_t len, struct perf_map_entry *entry);

/* An address, and the last entry that covers it. */
struct perf_map_hit {
	uint64_t addr;
	uint64_t start, size; /* size 0: no entry covers it */
	uint64_t name_off;    /* in the file */
	uint32_t name_len;    /* bytes, at most PERF_MAP_NAME_MAX */
};

/*
 * Looks up @nr hits, sorted by address, in the map open at @fd. Returns 0, -ENOMEM, or a failing
 * read's errno. Hits that were found before a failure stay.
 */
int perf_map_lookup(int fd, struct perf_map_hit *hits, size_t nr);

/*
 * Reads the name of a hit that was found into @name, NUL-terminated. It is "" when the file has
 * changed.
 */
void perf_map_name(int fd, const struct perf_map_hit *hit, char name[static PERF_MAP_NAME_MAX + 1]);

/*
 * Opens perf-@pid.map in the directory open at @dir_fd. It must be a regular file and no link, have
 * at most PERF_MAP_MAX_BYTES, and belong to root or @uid. A map that nobody has written to since
 * @since_realtime_ns (0: any) is an earlier process's, which had this id. Returns a file descriptor
 * or a negative errno: -EPERM for a different owner, -EFBIG, -EINVAL when it is no regular file,
 * -ESTALE.
 */
int perf_map_open(int dir_fd, uint32_t pid, uid_t uid, uint64_t since_realtime_ns);

#endif
