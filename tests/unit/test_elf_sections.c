// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections of files without section headers. This program is the file: it has them, too. */
#include "elf/elf_sections.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/io.h"
#include "elf/elf_entries.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define FILE_BYTES_MAX (64u << 20)

static uint8_t *whole;
static size_t nr_whole;

/* Reads this program once. */
static void read_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	off_t size = lseek(fd, 0, SEEK_END);

	ck_assert_int_gt(size, 0);
	ck_assert_int_lt(size, FILE_BYTES_MAX);
	nr_whole = size;
	whole = malloc(size);
	ck_assert_ptr_nonnull(whole);
	ck_assert_int_eq(io_pread(fd, whole, size, 0), size);
	close(fd);
}

static void free_self(void)
{
	free(whole);
}

/* A descriptor of a copy of this program with this header. */
static int copy_with(const Elf64_Ehdr *header)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, whole, nr_whole, 0), (ssize_t)nr_whole);
	ck_assert_int_eq(pwrite(fd, header, sizeof(*header), 0), sizeof(*header));
	return fd;
}

static Elf64_Ehdr header_without_sections(void)
{
	Elf64_Ehdr header;

	memcpy(&header, whole, sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = header.e_shstrndx = 0;
	return header;
}

/* The sections that are made lie where the headers say. */
START_TEST(as_the_headers_say)
{
	static const char *const names[] = {".dynsym",   ".dynstr",       ".rela.dyn",
					    ".rela.plt", ".eh_frame_hdr", ".eh_frame"};
	const Elf64_Ehdr header = header_without_sections();
	struct elf_image told, made;
	int with, without;

	with = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	without = copy_with(&header);
	ck_assert_int_eq(elf_sections_open(with, &told), 0);
	ck_assert_int_eq(elf_sections_open(without, &made), 0);
	ck_assert(!told.has_made_sections && made.has_made_sections && !made.first_made);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const Elf64_Shdr *want = elf_image_find_section(&told, names[i]);
		const Elf64_Shdr *got = elf_image_find_section(&made, names[i]);
		/* The end mark of .eh_frame is not needed. */
		uint64_t mark = i + 1 == ARRAY_SIZE(names) ? 4 : 0;

		ck_assert_msg(!want == !got, "%s", names[i]);
		if (!want)
			continue;
		ck_assert_uint_eq(got->sh_addr, want->sh_addr);
		ck_assert_uint_eq(got->sh_offset, want->sh_offset);
		ck_assert_uint_eq(got->sh_type == SHT_PROGBITS,
				  want->sh_type != SHT_DYNSYM && want->sh_type != SHT_STRTAB &&
					  want->sh_type != SHT_RELA);
		ck_assert_uint_eq(got->sh_size, want->sh_size - mark);
	}
	elf_image_close(&told);
	elf_image_close(&made);
	close(with);
	close(without);
}
END_TEST

/* An end mark does not end .eh_frame where the table in its header has entries behind it. */
START_TEST(end_mark_amid_frames)
{
	const Elf64_Ehdr header = header_without_sections();
	uint32_t entry[2], shorter[3], nr = 0; /* length, distance to the CIE */
	int with = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), without;
	struct elf_image told, made;
	const Elf64_Shdr *want, *got;
	uint8_t *at;

	ck_assert_int_eq(elf_sections_open(with, &told), 0);
	want = elf_image_find_section(&told, ".eh_frame");
	ck_assert_ptr_nonnull(want);
	at = whole + want->sh_offset;
	memcpy(entry, at, sizeof(entry));
	while (nr < 2) {
		at += sizeof(entry[0]) + entry[0];
		memcpy(entry, at, sizeof(entry));
		nr += entry[1] != 0;
	}
	shorter[0] = 0;
	shorter[1] = entry[0] - 4;
	shorter[2] = entry[1] + 4;
	memcpy(at, shorter, sizeof(shorter));
	without = copy_with(&header);
	ck_assert_int_eq(elf_sections_open(without, &made), 0);
	got = elf_image_find_section(&made, ".eh_frame");
	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(got->sh_addr, want->sh_addr);
	ck_assert_uint_eq(got->sh_size, want->sh_size - 4);
	elf_image_close(&told);
	elf_image_close(&made);
	close(with);
	close(without);
}
END_TEST

/* Numbers that are in section 0 are those of the header. */
START_TEST(numbers_in_section_0)
{
	Elf64_Ehdr header;
	Elf64_Shdr first = {0};
	struct elf_image told, apart;
	int with, fd;

	memcpy(&header, whole, sizeof(header));
	first.sh_size = header.e_shnum;
	first.sh_link = header.e_shstrndx;
	header.e_shnum = 0;
	header.e_shstrndx = SHN_XINDEX;
	fd = copy_with(&header);
	ck_assert_int_eq(pwrite(fd, &first, sizeof(first), header.e_shoff), sizeof(first));
	with = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(elf_sections_open(with, &told), 0);
	ck_assert_int_eq(elf_sections_open(fd, &apart), 0);
	ck_assert(!apart.has_made_sections);
	ck_assert_uint_eq(apart.nr_sections, told.nr_sections);
	ck_assert_uint_eq(apart.names_size, told.names_size);
	elf_image_close(&told);
	elf_image_close(&apart);
	close(with);
	close(fd);
}
END_TEST

/* Section numbers of symbols: those that are special are none, and large ones stand apart. */
START_TEST(sections_of_symbols)
{
	static const uint32_t numbers[] = {0, 70000};
	const struct elf_bytes indices = {(const uint8_t *)numbers, sizeof(numbers)};
	GElf_Sym symbol = {.st_shndx = 7};

	ck_assert_uint_eq(elf_symbol_section(indices, 1, &symbol), 7);
	symbol.st_shndx = SHN_ABS;
	ck_assert_uint_eq(elf_symbol_section(indices, 1, &symbol), SHN_UNDEF);
	symbol.st_shndx = SHN_XINDEX;
	ck_assert_uint_eq(elf_symbol_section(indices, 1, &symbol), 70000);
	ck_assert_uint_eq(elf_symbol_section(indices, 2, &symbol), SHN_UNDEF);
}
END_TEST

/* Changes a few numbers in @len bytes at @off of @fd. */
static void spoil(int fd, uint64_t off, uint64_t len, struct random *random)
{
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t number = random_u64(random) >> random_below(random, 64);
		uint64_t at = off + random_below(random, len / 8) * 8;

		ck_assert_int_eq(pwrite(fd, &number, sizeof(number), at), sizeof(number));
	}
}

/* Damaged headers, tables of symbols and frames: what is made is within the file. */
START_TEST(hostile)
{
	const Elf64_Ehdr header = header_without_sections();
	struct elf_image good, image;
	int fd = copy_with(&header);

	ck_assert_int_eq(elf_sections_open(fd, &good), 0);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct random random = {seed};
		const Elf64_Shdr *part = &good.sections[random_below(&random, good.nr_sections)];

		ck_assert_int_eq(pwrite(fd, whole, nr_whole, 0), (ssize_t)nr_whole);
		ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
		spoil(fd, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), &random);
		elf_image_for_each_segment(&good, ph) if (ph->p_type == PT_DYNAMIC)
			spoil(fd, ph->p_offset, ph->p_filesz, &random);
		if (part->sh_size >= 8)
			spoil(fd, part->sh_offset, part->sh_size, &random);
		ck_assert_int_eq(elf_sections_open(fd, &image), 0);
		for (size_t i = 0; i < image.nr_sections; i++) {
			ck_assert_uint_le(image.sections[i].sh_offset, nr_whole);
			ck_assert_uint_le(image.sections[i].sh_size,
					  nr_whole - image.sections[i].sh_offset);
		}
		elf_image_close(&image);
	}
	elf_image_close(&good);
	close(fd);
}
END_TEST

SUITE_MAIN_WITH("elf_sections", read_self, free_self, as_the_headers_say, end_mark_amid_frames,
		numbers_in_section_0, sections_of_symbols, hostile)
