// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/dwarf/dwarf_lookup.h"
#include "report/dwarf/split_package.h"
#include "report/symbols/debug_info.h"

/* The addresses that are looked up: near 0, and around the code of small programs. */
#define NR_HITS 256
#define STEP    16
#define CODE    0x1000

/* Bytes that an input may make profrep read. */
#define BUDGET_BYTES (64u << 20)

/* The file is a package, too, which has the rest of its split units. */
static int open_split(void *package, const struct dwarf_unit *skeleton, struct dwarf_file **file,
		      uint64_t *bytes)
{
	struct dwarf_file *unit = calloc(1, sizeof(*unit));

	if (!unit)
		abort();
	*bytes = 0;
	if (split_package_find(package, skeleton->dwo_id, unit))
		*file = unit;
	else
		free(unit);
	return 0;
}

static void close_split(void *package, struct dwarf_file *file)
{
	(void)package;
	free(file);
}

/* Looks addresses up in @file. Returns the number of frames that were found. */
static size_t look_up(struct dwarf_file *file)
{
	const struct split_opener opener = {open_split, close_split, file};
	struct source_hit hits[NR_HITS] = {0};
	struct source_frames frames;
	size_t nr;
	int ret;

	for (uint32_t i = 0; i < NR_HITS; i++)
		hits[i].addr = CODE + (uint64_t)i * STEP;
	if (source_frames_init(&frames))
		abort();
	ret = dwarf_lookup(file, &opener, hits, NR_HITS, &frames);
	if (ret && ret != -E2BIG)
		abort();
	nr = frames.frames.nr;
	for (uint32_t i = 0; i < NR_HITS && !ret; i++)
		for (uint32_t f = 0; f < hits[i].nr; f++) {
			const struct source_frame *frame = &frames.frames.data[hits[i].first + f];

			if (frame->name >= frames.names.items.nr ||
			    frame->file >= frames.files.items.nr ||
			    frame->is_inlined != (f + 1 < hits[i].nr))
				abort();
		}
	source_frames_deinit(&frames);
	return nr;
}

/* Looks up in the ELF file, and in the file as one of a split unit. */
static size_t look_up_elf(const uint8_t *data, size_t len)
{
	struct file_budget budget = {.bytes_left = BUDGET_BYTES};
	int fd = memfd_create("dwarf", MFD_CLOEXEC);
	struct debug_info *info;
	struct elf_file elf;
	size_t nr = 0;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	if (elf_file_open(&elf, fd, &budget))
		return 0;
	for (int kind = DEBUG_INFO_WHOLE; kind <= DEBUG_INFO_SPLIT; kind++) {
		if (debug_info_open(&elf, kind, &info))
			abort();
		if (info)
			nr += look_up(&info->file);
		debug_info_close(info);
	}
	elf_file_close(&elf);
	return nr;
}

/* Looks up in a list of sections. Each is copied, so a read beyond its end is noticed. */
static size_t look_up_sections(const uint8_t *data, size_t len)
{
	uint8_t *copies[NR_DWARF_SECTIONS] = {0};
	struct dwarf_file file = {0};
	size_t nr;

	while (len >= 4) {
		size_t size = data[1] | data[2] << 8 | data[3] << 16;
		unsigned int section = data[0] % NR_DWARF_SECTIONS;

		data += 4;
		len -= 4;
		size = size < len ? size : len;
		free(copies[section]);
		copies[section] = malloc(size + !size);
		if (!copies[section])
			abort();
		memcpy(copies[section], data, size);
		file.sections[section] = (struct dwarf_bytes){copies[section], size};
		data += size;
		len -= size;
	}
	nr = look_up(&file);
	dwarf_units_deinit(&file);
	for (size_t i = 0; i < NR_DWARF_SECTIONS; i++)
		free(copies[i]);
	return nr;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	size_t nr;

	if (!len || len > INPUT_MAX_BYTES)
		return;
	if (len >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
		nr = look_up_elf(data, len);
	else
		nr = look_up_sections(data, len);
	if (verbose)
		printf("%zu frames\n", nr);
}
