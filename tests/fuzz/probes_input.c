// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/probes/library.h"
#include "record/probes/user_functions.h"

/* The magic of ld.so.cache (glibc, sysdeps/generic/dl-cache.h). */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

#define CODE_SIZE  0x10000
#define CODE_VADDR 0x401000

static void put(int fd, const void *bytes, size_t len, off_t at)
{
	if (pwrite(fd, bytes, len, at) != (ssize_t)len)
		abort();
}

static int make_file(const void *bytes, size_t len)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	put(fd, bytes, len, 0);
	return fd;
}

/* A file with room for code, and with the notes of static probes. */
static int make_elf(const uint8_t *notes, size_t len)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base";
	const Elf64_Phdr ph = {.p_type = PT_LOAD,
			       .p_flags = PF_R | PF_W | PF_X,
			       .p_vaddr = CODE_VADDR,
			       .p_filesz = CODE_SIZE};
	const Elf64_Shdr sh[3] = {
		{.sh_type = SHT_STRTAB, .sh_offset = CODE_SIZE, .sh_size = sizeof(names)},
		{.sh_name = 1,
		 .sh_type = SHT_NOTE,
		 .sh_offset = CODE_SIZE + sizeof(names),
		 .sh_size = len},
		{.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = CODE_VADDR},
	};
	const Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(eh),
		.e_phentsize = sizeof(ph),
		.e_phnum = 1,
		.e_shoff = sizeof(eh) + sizeof(ph),
		.e_shentsize = sizeof(sh[0]),
		.e_shnum = ARRAY_SIZE(sh),
	};
	int fd = make_file(&eh, sizeof(eh));

	put(fd, &ph, sizeof(ph), eh.e_phoff);
	put(fd, sh, sizeof(sh), eh.e_shoff);
	put(fd, names, sizeof(names), CODE_SIZE);
	put(fd, notes, len, CODE_SIZE + sizeof(names));
	return fd;
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
		fd = len >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG) ? make_file(data, len)
								      : make_elf(data, len);
		nr = find_all(fd);
		close(fd);
	}
	if (verbose)
		printf("%zu found\n", nr);
}
