// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/symbols/perf_map.h"

/* The addresses to look up: a grid at the start of the address space, and both its ends. */
#define NR_GRID 62
#define STEP    8

/* The simple answer holds for lines that the look-up reads in one piece. */
#define SIMPLE_LINE_MAX 32768

static void make_hits(struct perf_map_hit hits[NR_GRID + 2])
{
	memset(hits, 0, (NR_GRID + 2) * sizeof(*hits));
	for (size_t i = 0; i < NR_GRID; i++)
		hits[i].addr = i * STEP;
	hits[NR_GRID].addr = INT64_MAX;
	hits[NR_GRID + 1].addr = UINT64_MAX;
}

/*
 * Looks one address up line by line: the last line that covers it wins. Later lines may have cut
 * the bounds of its entry.
 */
static void check_hit(const char *text, size_t len, const struct perf_map_hit *hit)
{
	const char *end = text + len;
	uint64_t name_off = 0, start = 0, size = 0;

	for (const char *line = text; line < end;) {
		const char *eol = memchr(line, '\n', end - line);
		size_t line_len = (eol ? eol : end) - line;
		struct perf_map_entry entry;

		if (line_len > SIMPLE_LINE_MAX)
			return;
		if (perf_map_parse(line, line_len, &entry) &&
		    hit->addr - entry.start < entry.size) {
			name_off = entry.name - text;
			start = entry.start;
			size = entry.size;
		}
		line += line_len + 1;
	}
	if (!size != !hit->size)
		abort();
	if (size && (name_off != hit->name_off || hit->start - start > size ||
		     hit->size > size - (hit->start - start)))
		abort();
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map_hit hits[NR_GRID + 2];
	char name[PERF_MAP_NAME_MAX + 1];
	size_t nr_found = 0;

	if (len > INPUT_MAX_BYTES)
		return;
	if (fd < 0 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	make_hits(hits);
	if (perf_map_lookup(fd, hits, NR_GRID + 2))
		abort();
	for (size_t i = 0; i < NR_GRID + 2; i++) {
		check_hit((const char *)data, len, &hits[i]);
		if (!hits[i].size)
			continue;
		nr_found++;
		if (hits[i].addr - hits[i].start >= hits[i].size ||
		    hits[i].name_len > PERF_MAP_NAME_MAX)
			abort();
		perf_map_name(fd, &hits[i], name);
		if (strlen(name) != hits[i].name_len)
			abort();
	}
	if (verbose)
		printf("%zu addresses have a name\n", nr_found);
}
