// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/perf_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/minmax.h"
#include "common/parse.h"
#include "common/safe_open.h"
#include "common/search.h"
#include "record/looks/user_mount.h"

#define CLOCK_SLACK_NS (50 * NS_PER_MS)

/* Bytes read at a time. The rest of a longer line is passed over. */
#define CHUNK_BYTES (64u << 10)

/*
 * Limit of the sum, over all entries, of the hits that an entry covers. A proper map covers each
 * address a few times. A map that was made to keep profrec busy covers it any number of times.
 */
#define WORK_MAX (UINT64_C(1) << 24)

/* Reads a hex number of at most 64 bits that ends with a space, and the space. */
static bool take_hex(const char **p, const char *end, uint64_t *value)
{
	const char *s = *p;
	unsigned int nr = 0;

	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (*value = 0; s < end && hex_digit(*s) >= 0; s++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)hex_digit(*s);
		nr++;
	}
	if (!nr || s == end || *s != ' ')
		return false;
	*p = s + 1;
	return true;
}

bool perf_map_parse(const char *line, size_t len, struct perf_map_entry *entry)
{
	const char *p = line, *end = line + len;

	if (!take_hex(&p, end, &entry->start) || !take_hex(&p, end, &entry->size))
		return false;
	while (end > p && end[-1] == '\r')
		end--;
	entry->name = p;
	entry->len = strnlen(p, end - p);
	if (!entry->len || !entry->size)
		return false;
	/* It ends at 2^64 at the latest. */
	if (entry->size - 1 > UINT64_MAX - entry->start)
		entry->size = UINT64_MAX - entry->start + 1;
	return true;
}

struct scan {
	struct perf_map_hit *hits;
	size_t nr;
	uint64_t work;
};

/*
 * Takes one line, which is at @off in the file. Later lines win, since the memory was used again.
 */
static void take_line(struct scan *scan, const char *line, size_t len, uint64_t off)
{
	struct perf_map_entry entry;

	if (!perf_map_parse(line, len, &entry))
		return;
	for (size_t i = search_first(scan->nr, k, scan->hits[k].addr >= entry.start);
	     i < scan->nr && scan->hits[i].addr - entry.start < entry.size; i++) {
		struct perf_map_hit *hit = &scan->hits[i];

		hit->start = entry.start;
		hit->size = entry.size;
		hit->name_off = off + (entry.name - line);
		hit->name_len = min_u64(entry.len, PERF_MAP_NAME_MAX);
		scan->work++;
	}
}

/*
 * Takes the lines of a chunk. Returns the bytes used. A line that fills the chunk counts as ended.
 */
static size_t take_chunk(struct scan *scan, const char *chunk, size_t len, uint64_t off, bool *skip,
			 bool is_last)
{
	size_t used = 0;

	while (used < len && scan->work < WORK_MAX) {
		const char *line = chunk + used, *eol = memchr(line, '\n', len - used);
		bool is_whole = eol || is_last;
		size_t line_len = eol ? (size_t)(eol - line) : len - used;

		if (!is_whole && used)
			return used;
		if (!*skip)
			take_line(scan, line, line_len, off + used);
		*skip = !is_whole;
		used += line_len + !!eol;
	}
	return used;
}

/*
 * The code of an entry that begins inside a later one was overwritten there, and what is left of it
 * begins behind that. A recording has the entries without their order, so their bounds must tell
 * which of them is at a hit, as those of symbols do: the one with the nearest start.
 */
static void cut_overwritten(struct perf_map_hit *hits, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct perf_map_hit *hit = &hits[i];

		for (size_t k = i; hit->size && k-- > 0 && hits[k].addr >= hit->start;) {
			uint64_t end = hits[k].start + hits[k].size;

			/* The rest of an entry of which there was a hit is like that. */
			if (hits[k].size && hits[k].name_off == hit->name_off)
				end = hits[k].start;
			else if (!hits[k].size || hits[k].start >= hit->start)
				continue;
			hit->size -= end - hit->start;
			hit->start = end;
			break;
		}
	}
}

int perf_map_lookup(int fd, struct perf_map_hit *hits, size_t nr)
{
	_cleanup_free_ char *chunk = malloc(CHUNK_BYTES);
	struct scan scan = {.hits = hits, .nr = nr};
	uint64_t off = 0;
	bool skip = false;
	int ret = 0;

	if (!chunk)
		return -ENOMEM;
	while (off < PERF_MAP_MAX_BYTES && scan.work < WORK_MAX) {
		ssize_t n = io_pread(fd, chunk, CHUNK_BYTES, off);

		if (n <= 0) {
			ret = n;
			break;
		}
		/* A short read is the end, perhaps inside a line that the process is writing. */
		off += take_chunk(&scan, chunk, n, off, &skip, n < (ssize_t)CHUNK_BYTES);
	}
	cut_overwritten(hits, nr);
	return ret;
}

void perf_map_name(int fd, const struct perf_map_hit *hit, char name[static PERF_MAP_NAME_MAX + 1])
{
	ssize_t n = io_pread(fd, name, hit->name_len, hit->name_off);

	name[n > 0 ? n : 0] = '\0';
	/* The file may have changed since it was looked up, and have a newline here. */
	name[strcspn(name, "\n")] = '\0';
}

/* The clock of files is coarse, and /proc has the start of processes in hundredths of a second. */
static bool is_older(const struct stat *st, uint64_t since_ns)
{
	uint64_t mtime_ns = st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;

	return mtime_ns + CLOCK_SLACK_NS < since_ns;
}

int perf_map_open(int dir_fd, uint32_t pid, uid_t uid, uint64_t since_ns)
{
	const struct safe_open_rules rules = {
		.lookup = SAFE_OPEN_NO_LINK,
		.max_bytes = PERF_MAP_MAX_BYTES,
		.owner = &uid,
	};
	_cleanup_close_ int fd = -1;
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "perf-%u.map", pid);
	fd = safe_open(dir_fd, name, &rules);
	if (fd >= 0 && (fstat(fd, &st) || is_older(&st, since_ns)))
		return -ESTALE;
	/* A user's own file system claims that the map is root's. */
	if (fd >= 0 && user_mount_has(fd, &st))
		return -EPERM;
	return TAKE_FD(fd);
}
