// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions and lines from DWARF. This program is the file: the compiler gave it debug information.
 */
#include "report/dwarf/dwarf_lookup.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

#include "report/symbols/debug_info.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define NAME_OF(frames, frame) string_set_get(&(frames)->names, (frame)->name)
#define FILE_OF(frames, frame) string_set_get(&(frames)->files, (frame)->file)

/* The addresses inside probe() where the innermost function runs. */
static uint64_t innermost_addr;

static inline __attribute__((always_inline)) uint64_t innermost(uint64_t x)
{
	uint64_t addr;

	__asm__ volatile("1: lea 1b(%%rip), %0" : "=r"(addr)); /* the line of innermost */
	innermost_addr = addr;
	return x + 1;
}
enum { INNERMOST_LINE = __LINE__ - 4 };

static inline __attribute__((always_inline)) uint64_t middle(uint64_t x)
{
	return innermost(x) * 3; /* the line of middle */
}
enum { MIDDLE_LINE = __LINE__ - 2 };

__attribute__((noinline)) static uint64_t probe(uint64_t x)
{
	return middle(x) + 5; /* the line of probe */
}
enum { PROBE_LINE = __LINE__ - 2 };

static int note_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

/* The linked address of the innermost function in probe(). */
static uint64_t linked_addr(void)
{
	uint64_t base = 0;

	ck_assert_uint_eq(probe(1), 11);
	dl_iterate_phdr(note_base, &base);
	return innermost_addr - base;
}

static struct debug_info *open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct debug_info *info;
	struct elf_file elf;

	ck_assert_int_eq(elf_file_open(&elf, fd, NULL), 0);
	ck_assert_int_eq(debug_info_open(&elf, DEBUG_INFO_WHOLE, &info), 0);
	elf_file_close(&elf);
	ck_assert_ptr_nonnull(info);
	return info;
}

static void check_frame(const struct source_frames *frames, const struct source_frame *frame,
			const char *name, uint32_t line)
{
	const char *file = FILE_OF(frames, frame);
	const char *base = strrchr(file, '/');

	ck_assert_str_eq(NAME_OF(frames, frame), name);
	ck_assert_str_eq(base ? base + 1 : file, "test_dwarf_lookup.c");
	ck_assert_uint_eq(frame->line, line);
}

START_TEST(inlined_functions)
{
	struct source_hit hits[] = {{.addr = 1}, {.addr = linked_addr()}, {.addr = UINT64_MAX}};
	struct debug_info *info = open_self();
	struct source_frames frames;
	const struct source_frame *f;

	ck_assert_int_eq(source_frames_init(&frames), 0);
	ck_assert_int_eq(dwarf_lookup(&info->file, NULL, hits, 3, &frames), 0);
	ck_assert_uint_eq(hits[0].nr, 0);
	ck_assert_uint_eq(hits[1].nr, 3);
	ck_assert_uint_eq(hits[2].nr, 0);
	f = &frames.frames.data[hits[1].first];
	check_frame(&frames, &f[0], "innermost", INNERMOST_LINE);
	check_frame(&frames, &f[1], "middle", MIDDLE_LINE);
	check_frame(&frames, &f[2], "probe", PROBE_LINE);
	ck_assert(f[0].is_inlined && f[1].is_inlined && !f[2].is_inlined);
	source_frames_deinit(&frames);
	debug_info_close(info);
}
END_TEST

/* Looks up addresses all over the code. Only the end of the call counts: any answer is fine. */
static void look_around(struct dwarf_file *file)
{
	struct source_hit hits[64] = {0};
	struct source_frames frames;
	uint64_t addr = linked_addr();
	int ret;

	for (size_t i = 0; i < 64; i++)
		hits[i].addr = (addr & ~UINT64_C(0xffff)) + i * 0x1000;
	ck_assert_int_eq(source_frames_init(&frames), 0);
	ret = dwarf_lookup(file, NULL, hits, 64, &frames);
	ck_assert(!ret || ret == -E2BIG);
	source_frames_deinit(&frames);
}

START_TEST(file_that_shrinks)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("test", MFD_CLOEXEC), copy = dup(fd);
	struct debug_info *info;
	struct elf_file elf;
	off_t end = 0;
	ssize_t n;

	while ((n = sendfile(fd, self, &end, 1 << 20)) > 0)
		;
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(elf_file_open(&elf, fd, NULL), 0);
	ck_assert_int_eq(debug_info_open(&elf, DEBUG_INFO_WHOLE, &info), 0);
	ck_assert_ptr_nonnull(info);
	ck_assert_int_eq(ftruncate(copy, 4096), 0);
	look_around(&info->file);
	ck_assert_uint_eq(info->file.sections[DWARF_STR].data[0], 0);
	debug_info_close(info);
	elf_file_close(&elf);
	close(copy);
	close(self);
}
END_TEST

/* A copy of the sections that a test may spoil. */
struct copies {
	struct dwarf_file file;
	uint8_t *data[NR_DWARF_SECTIONS];
};

/* Copies the sections. Their ends are the ends of memory, so a reader beyond them is noticed. */
static struct copies copy_sections(const struct debug_info *info, enum dwarf_section cut,
				   uint64_t cut_size)
{
	struct copies copies = {0};

	for (size_t i = 0; i < NR_DWARF_SECTIONS; i++) {
		uint64_t size = info->file.sections[i].size;

		if (i == cut && size > cut_size)
			size = cut_size;
		copies.data[i] = malloc(size + !size);
		ck_assert_ptr_nonnull(copies.data[i]);
		if (size)
			memcpy(copies.data[i], info->file.sections[i].data, size);
		copies.file.sections[i] = (struct dwarf_bytes){copies.data[i], size};
	}
	return copies;
}

static void free_copies(struct copies *copies)
{
	dwarf_units_deinit(&copies->file);
	for (size_t i = 0; i < NR_DWARF_SECTIONS; i++)
		free(copies->data[i]);
}

START_TEST(truncated)
{
	struct debug_info *info = open_self();

	for (int section = 0; section < NR_DWARF_SECTIONS; section++)
		for (int i = 0; i < 4; i++) {
			uint64_t size = info->file.sections[section].size * i / 4;
			struct copies copies = copy_sections(info, section, size);

			look_around(&copies.file);
			free_copies(&copies);
		}
	debug_info_close(info);
}
END_TEST

START_TEST(flipped_bits)
{
	struct debug_info *info = open_self();
	struct random random = {(uint64_t)_i + 1};

	for (int round = 0; round < 4; round++) {
		struct copies copies = copy_sections(info, NR_DWARF_SECTIONS, 0);

		for (int flip = 0; flip < 1 + 100 * round; flip++) {
			size_t section = random_below(&random, NR_DWARF_SECTIONS);
			uint64_t size = copies.file.sections[section].size;

			if (size)
				copies.data[section][random_below(&random, size)] ^=
					1u << random_below(&random, 8);
		}
		look_around(&copies.file);
		free_copies(&copies);
	}
	debug_info_close(info);
}
END_TEST

SUITE_MAIN_LOOP_WITH("dwarf_lookup", NULL, NULL, flipped_bits, 8, inlined_functions,
		     file_that_shrinks, truncated)
