// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buildid.h"
#include "common/cleanup.h"
#include "report/files/debugfiles.h"
#include "elf/elf_names.h"
#include "tests/fuzz/known_hits.h"

/* The files that profrep finds: a binary, and its debug file by the debug link. */
#define BINARY "app"
#define DEBUG  "app.debug"

#define NR_HITS 256
#define STEP    16

/* Bytes that an input may make profrep read. */
#define BUDGET_BYTES (64u << 20)

static char dir[64];

static void remove_dir(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/" BINARY, dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/" DEBUG, dir);
	unlink(path);
	rmdir(dir);
}

static void make_dir(void)
{
	if (dir[0])
		return;
	snprintf(dir, sizeof(dir), "%s/elf.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir) || atexit(remove_dir))
		abort();
}

static void write_file(const char *name, const uint8_t *data, size_t len)
{
	_cleanup_close_ int fd = -1;
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
}

/* Looks addresses up in @file. Returns how many have a name or bounds. */
static size_t look_up(struct elf_file *file)
{
	struct range_hit hits[NR_HITS] = {0};
	struct elf_names names = {0};
	size_t nr_known;
	uint64_t vaddr;

	for (uint32_t i = 0; i < NR_HITS; i++) {
		uint64_t off = (uint64_t)i * STEP;

		hits[i] = (struct range_hit){.addr = off, .tag = i};
		if (elf_file_vaddr(file, off, &vaddr) ||
		    elf_file_vaddr_mapped(file, off, 0, 4096, &vaddr))
			hits[i].addr = vaddr;
	}
	range_hits_sort(hits, NR_HITS);
	if (elf_names_resolve(&names, file, NULL, hits, NR_HITS))
		abort();
	nr_known = known_hits(hits, NR_HITS);
	elf_names_deinit(&names);
	return nr_known;
}

static size_t look_up_in(int fd, struct file_budget *budget)
{
	struct elf_file file;
	size_t nr = 0;

	if (fd < 0 || elf_file_open(&file, fd, budget))
		return 0;
	nr = look_up(&file) + elf_file_is_debug_only(&file);
	elf_file_close(&file);
	return nr;
}

/* Takes the input for a binary and for its debug file. */
static size_t find_and_look_up(const uint8_t *data, size_t len)
{
	struct file_budget budget = {.bytes_left = BUDGET_BYTES};
	struct debug_roots roots = {.symfs_fd = -1, .debug_dir = "/nonexistent", .budget = &budget};
	struct debug_wanted wanted = {.path = "/" BINARY};
	struct debug_files files;
	enum debug_miss miss;
	size_t nr;
	int fd;

	make_dir();
	write_file(BINARY, data, len);
	write_file(DEBUG, data, len);
	if (debug_roots_open(&roots, dir, NULL))
		abort();
	fd = openat(roots.symfs_fd, BINARY, O_RDONLY | O_CLOEXEC);
	build_id_from_fd(fd, &wanted.build_id);
	close(fd);
	if (debug_files_find(&roots, &wanted, &files, &miss))
		abort();
	nr = look_up_in(files.binary_fd, &budget) + look_up_in(files.debug_fd, &budget);
	files.binary_fd = files.debug_fd = -1; /* they were closed */
	debug_files_close(&files);
	debug_roots_close(&roots);
	return nr;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct build_id id = {0};
	size_t nr = 0;

	if (!len || len > INPUT_MAX_BYTES)
		return;
	if (len >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
		nr = find_and_look_up(data, len);
	else
		build_id_from_notes(data, len, &id);
	if (id.size > BUILD_ID_MAX)
		abort();
	if (verbose)
		printf("%zu addresses are known, %u bytes of build-id\n", nr, id.size);
}
