// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/probes/library.h"
#include "record/probes/user_functions.h"
#include "tests/fuzz/made_elf.h"

/* The magic of ld.so.cache (glibc, sysdeps/generic/dl-cache.h). */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

#define CODE_SIZE  0x10000
#define CODE_VADDR 0x401000

/* A file with room for code, and with the notes of static probes. */
static int make_elf(const uint8_t *notes, size_t len)
{
	const Elf64_Phdr code = {.p_type = PT_LOAD,
				 .p_flags = PF_R | PF_W | PF_X,
				 .p_vaddr = CODE_VADDR,
				 .p_filesz = CODE_SIZE};
	const struct made_section sections[] = {
		{.name = ".note.stapsdt", .type = SHT_NOTE, .bytes = notes, .size = len},
		{.name = ".stapsdt.base", .type = SHT_PROGBITS, .vaddr = CODE_VADDR},
	};

	return made_elf(&code, sections, ARRAY_SIZE(sections));
}

/* All places are in the file, in order, each once. */
static void check(int fd, const struct user_functions *found)
{
	off_t size = lseek(fd, 0, SEEK_END);
	const struct user_place *last = NULL;

	vec_for_each(&found->places, place) {
		/* After an endbr64 at its end, the place is the end. */
		if (place->off > (uint64_t)size || place->semaphore > (uint64_t)size)
			abort();
		if (last && (place->off < last->off ||
			     (place->off == last->off && place->semaphore <= last->semaphore)))
			abort();
		last = place;
	}
	vec_for_each(&found->indirect, function)
		if (!function->name[0] && function->is_settled)
			abort();
}

/* Finds functions or static probes. Returns how many there are. */
static size_t find(int fd, const struct pattern *pattern)
{
	struct user_functions found = {0};
	int ret = pattern->kind == PATTERN_USDT ? usdt_find(fd, pattern, &found)
						: user_functions_find(fd, pattern, &found);
	size_t nr = found.places.nr + found.indirect.nr + found.nr_refused;

	if (!ret)
		check(fd, &found);
	user_functions_deinit(&found);
	return nr;
}

static size_t find_all(int fd)
{
	char any[] = "*", some[] = "a*b*";
	const struct pattern patterns[] = {
		{.kind = PATTERN_USER, .name.text = any},
		{.kind = PATTERN_USER, .name.text = some},
		{.kind = PATTERN_USER, .has_offset = true, .offset = 4096},
		{.kind = PATTERN_USDT, .name.text = any},
		{.kind = PATTERN_USDT, .provider.text = some, .name.text = some},
	};
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		nr += find(fd, &patterns[i]);
	return nr;
}

/* Looks for a library. Its path must be in the cache, with its end. */
static size_t search_cache(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *cache = malloc(len + 1);
	const char *path;

	if (!cache)
		abort();
	memcpy(cache, data, len);
	cache[len] = '\0';
	path = library_in_cache(cache, len + 1, "c");
	if (path && (path < cache || path > cache + len))
		abort();
	return path ? strlen(path) : 0;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	size_t nr;
	int fd;

	if (!len || len > INPUT_MAX_BYTES)
		return;
	if (len >= strlen(CACHE_MAGIC) && !memcmp(data, CACHE_MAGIC, strlen(CACHE_MAGIC))) {
		nr = search_cache(data, len);
	} else {
		fd = len >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG) ? made_file(data, len)
								      : make_elf(data, len);
		nr = find_all(fd);
		close(fd);
	}
	if (verbose)
		printf("%zu found\n", nr);
}
