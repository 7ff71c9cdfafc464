// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/section_bytes.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/unit/suite.h"

#define TEXT_BYTES 5000

/* zeros of this size pack to less than a thousandth */
#define BOMB_BYTES (64u << 20)

enum { ZLIB = ELFCOMPRESS_ZLIB, ZSTD = 2 };

/* A section as it stands in a file. */
struct packed_section {
	Elf64_Chdr head;
	uint8_t *bytes;
	size_t size;
	bool is_old; /* GNU's older kind, whose head is text */
};

static uint8_t text[TEXT_BYTES];
static struct packed_section section;
static struct file_budget budget;

static void begin(void)
{
	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = i % 7 * i;
	budget = (struct file_budget){.bytes_left = UINT64_MAX};
}

static void end(void)
{
	free(section.bytes);
	section = (struct packed_section){0};
}

static void pack(uint32_t type, const uint8_t *bytes, size_t size)
{
	size_t room = type == ZLIB ? compressBound(size) : ZSTD_compressBound(size);
	uLongf packed = room;

	free(section.bytes);
	section = (struct packed_section){.head = {.ch_type = type, .ch_size = size},
					  .bytes = malloc(room)};
	if (type == ZLIB)
		ck_assert_int_eq(compress(section.bytes, &packed, bytes, size), Z_OK);
	else
		packed = ZSTD_compress(section.bytes, room, bytes, size, 1);
	section.size = packed;
}

static void put(int fd, const void *bytes, size_t size, off_t at)
{
	ck_assert_int_eq(pwrite(fd, bytes, size, at), size);
}

/* Writes an ELF file with the section. Returns a descriptor of it. */
static int make_file(void)
{
	const uint64_t old_size = htobe64(section.head.ch_size);
	const Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh),
		.e_shoff = sizeof(eh),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 2,
	};
	size_t head = section.is_old ? 12 : sizeof(section.head);
	Elf64_Shdr sh[2] = {{0},
			    {.sh_type = SHT_PROGBITS,
			     .sh_flags = section.is_old ? 0 : SHF_COMPRESSED,
			     .sh_offset = sizeof(eh) + sizeof(sh),
			     .sh_size = head + section.size}};
	int fd = memfd_create("file", MFD_CLOEXEC);

	put(fd, &eh, sizeof(eh), 0);
	put(fd, sh, sizeof(sh), sizeof(eh));
	put(fd, &section.head, head, sh[1].sh_offset);
	if (section.is_old) {
		put(fd, "ZLIB", 4, sh[1].sh_offset);
		put(fd, &old_size, sizeof(old_size), sh[1].sh_offset + 4);
	}
	put(fd, section.bytes, section.size, sh[1].sh_offset + head);
	return fd;
}

/* Reads the section. The caller releases @bytes. */
static void read_section(struct section_bytes *bytes)
{
	struct elf_file file;

	ck_assert_int_eq(elf_file_open(&file, make_file(), &budget), 0);
	ck_assert_int_eq(section_bytes_get(&file, 1, section.is_old, bytes), 0);
	elf_file_close(&file);
}

static void expect_text(void)
{
	struct section_bytes bytes;

	read_section(&bytes);
	ck_assert_uint_eq(bytes.size, TEXT_BYTES);
	ck_assert(!memcmp(bytes.data, text, TEXT_BYTES));
	ck_assert_uint_eq(section_bytes_memory(&bytes), TEXT_BYTES);
	section_bytes_release(&bytes);
}

static void expect_nothing(void)
{
	struct section_bytes bytes;

	read_section(&bytes);
	ck_assert_ptr_null(bytes.data);
	ck_assert_ptr_null(bytes.memory);
	ck_assert_uint_eq(bytes.size, 0);
}

START_TEST(kinds)
{
	pack(ZLIB, text, TEXT_BYTES);
	expect_text();
	section.is_old = true;
	expect_text();
	pack(ZSTD, text, TEXT_BYTES);
	expect_text();
	section.head.ch_type = 3;
	expect_nothing();
	section.head.ch_type = ZLIB;
	expect_nothing();
}
END_TEST

/* The size that a section claims decides about memory, so it is judged before it is believed. */
START_TEST(bombs)
{
	uint8_t *zeros = calloc(1, BOMB_BYTES);
	static const uint32_t types[] = {ZLIB, ZSTD};

	for (size_t i = 0; i < 2; i++) {
		pack(types[i], zeros, BOMB_BYTES);
		expect_nothing();
		/* A smaller claim is a lie. */
		section.head.ch_size = 64 * section.size;
		expect_nothing();
	}
	free(zeros);
	ck_assert_uint_gt(budget.bytes_left, UINT64_MAX - BOMB_BYTES);
}
END_TEST

START_TEST(claims)
{
	static const uint64_t sizes[] = {0,          1,         TEXT_BYTES - 1, TEXT_BYTES + 1,
					 UINT32_MAX, INT64_MAX, UINT64_MAX};
	static const uint32_t types[] = {ZLIB, ZSTD};

	for (size_t t = 0; t < 2; t++) {
		pack(types[t], text, TEXT_BYTES);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			section.head.ch_size = sizes[i];
			expect_nothing();
		}
	}
}
END_TEST

START_TEST(budget_of_the_report)
{
	struct section_bytes bytes;

	pack(ZSTD, text, TEXT_BYTES);
	budget.bytes_left = section.size + sizeof(section.head) + TEXT_BYTES - 1;
	read_section(&bytes);
	ck_assert_ptr_null(bytes.data);
	ck_assert(budget.is_spent);
	budget.bytes_left = section.size + sizeof(section.head) + TEXT_BYTES;
	expect_text();
}
END_TEST

START_TEST(cut_anywhere)
{
	static const uint32_t types[] = {ZLIB, ZSTD};

	for (size_t t = 0; t < 2; t++) {
		pack(types[t], text, TEXT_BYTES);
		while (section.size-- > 0)
			expect_nothing();
		section.size = 0;
	}
}
END_TEST

/* Whatever comes out has the size that was claimed, or nothing does. */
START_TEST(flipped_bits)
{
	static const uint32_t types[] = {ZLIB, ZSTD};

	for (size_t t = 0; t < 2; t++) {
		pack(types[t], text, TEXT_BYTES);
		for (size_t bit = 0; bit < 8 * section.size; bit++) {
			struct section_bytes bytes;

			section.bytes[bit / 8] ^= 1 << bit % 8;
			read_section(&bytes);
			ck_assert(bytes.size == (bytes.data ? TEXT_BYTES : 0));
			section_bytes_release(&bytes);
			section.bytes[bit / 8] ^= 1 << bit % 8;
		}
	}
}
END_TEST

SUITE_MAIN_WITH("section_bytes", begin, end, kinds, bombs, claims, budget_of_the_report,
		cut_anywhere, flipped_bits)
