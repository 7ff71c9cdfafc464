/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes small ELF files that have dynamic symbols, and a hash table of one bucket. They are linked
 * at DYNAMIC_FILE_ADDR, with one segment for all. A test may spoil them before it writes them.
 */
#ifndef TESTS_DYNAMIC_FILE_H
#define TESTS_DYNAMIC_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define DYNAMIC_FILE_ADDR    0x10000
#define DYNAMIC_FILE_SYMBOLS 64
#define DYNAMIC_FILE_DATA    16384

struct dynamic_file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3]; /* all of the file, the dynamic section, the table of functions */
	Elf64_Dyn dynamic[5];
	struct {
		uint32_t nr_buckets, first_symbol, bloom_words, bloom_shift;
		uint64_t bloom;
		uint32_t bucket, chain[DYNAMIC_FILE_SYMBOLS];
	} hash;
	Elf64_Sym symbols[DYNAMIC_FILE_SYMBOLS + 1]; /* the first one has no name */
	char names[2560];
	uint8_t data[DYNAMIC_FILE_DATA]; /* the symbols lead here */
	uint32_t nr, names_bytes;
};

/* The address at which a member of the file is linked. */
#define DYNAMIC_FILE_AT(member) (DYNAMIC_FILE_ADDR + offsetof(struct dynamic_file, member))

static inline uint32_t dynamic_file_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static inline void dynamic_file_init(struct dynamic_file *f)
{
	const Elf64_Dyn dynamic[] = {
		{DT_SYMTAB, {DYNAMIC_FILE_AT(symbols)}},
		{DT_STRTAB, {DYNAMIC_FILE_AT(names)}},
		{DT_STRSZ, {sizeof(f->names)}},
		{DT_GNU_HASH, {DYNAMIC_FILE_AT(hash)}},
		{DT_NULL, {0}},
	};

	memset(f, 0, sizeof(*f));
	f->names_bytes = 1;
	f->header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
		.e_machine = EM_X86_64,
		.e_phoff = offsetof(struct dynamic_file, segments),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = ARRAY_SIZE(f->segments),
	};
	f->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
				      .p_flags = PF_R | PF_X,
				      .p_vaddr = DYNAMIC_FILE_ADDR,
				      .p_filesz = sizeof(*f)};
	f->segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
				      .p_offset = offsetof(struct dynamic_file, dynamic),
				      .p_filesz = sizeof(dynamic)};
	memcpy(f->dynamic, dynamic, sizeof(dynamic));
	f->hash.nr_buckets = f->hash.first_symbol = f->hash.bloom_words = 1;
	f->hash.bloom_shift = 6;
}

/* Adds a symbol, whose @size bytes begin at @off in the data. */
static inline void dynamic_file_add(struct dynamic_file *f, const char *name, uint32_t off,
				    uint64_t size)
{
	uint32_t hash = dynamic_file_hash(name), nr = f->nr++;

	ck_assert_uint_lt(nr, DYNAMIC_FILE_SYMBOLS);
	ck_assert_uint_le(f->names_bytes + strlen(name) + 1, sizeof(f->names));
	f->symbols[nr + 1] = (Elf64_Sym){.st_name = f->names_bytes,
					 .st_value = DYNAMIC_FILE_AT(data) + off,
					 .st_size = size,
					 .st_shndx = 1};
	strcpy(f->names + f->names_bytes, name);
	f->names_bytes += strlen(name) + 1;
	f->hash.bloom |= 1ULL << (hash % 64) | 1ULL << ((hash >> f->hash.bloom_shift) % 64);
	f->hash.bucket = 1;
	f->hash.chain[nr] = hash | 1; /* the last one of the bucket */
	if (nr)
		f->hash.chain[nr - 1] &= ~1u;
}

/* The code begins behind the header, so that its address and its offset differ otherwise. */
#define DYNAMIC_FILE_CODE_OFF sizeof(Elf64_Ehdr)

static inline void dynamic_file_skip_header(struct dynamic_file *f)
{
	f->segments[0].p_offset = DYNAMIC_FILE_CODE_OFF;
	f->segments[0].p_vaddr += DYNAMIC_FILE_CODE_OFF;
	f->segments[0].p_filesz -= DYNAMIC_FILE_CODE_OFF;
}

/* The place of @off in the data, from where offset 0 of the file would be. */
#define DYNAMIC_FILE_PLACE(off) (offsetof(struct dynamic_file, data) + (off))

/* Puts an instruction of x86-64, which ends with the distance to @to, at @off in the data. */
static inline void dynamic_file_put_insn(struct dynamic_file *f, size_t off, const char *opcode,
					 size_t to)
{
	size_t len = strlen(opcode);
	int32_t distance = to - (off + len + sizeof(distance));

	memcpy(f->data + off, opcode, len);
	memcpy(f->data + off + len, &distance, sizeof(distance));
}

/* Puts the table of functions (.eh_frame_hdr) at @at in the data: where @nr functions begin. */
static inline void dynamic_file_set_functions(struct dynamic_file *f, size_t at,
					      const uint32_t *begins, size_t nr)
{
	const uint8_t encodings[4] = {1, 0x1b, 0x03, 0x3b};
	uint32_t count = nr;

	f->segments[2] =
		(Elf64_Phdr){.p_type = PT_GNU_EH_FRAME, .p_vaddr = DYNAMIC_FILE_AT(data) + at};
	memcpy(f->data + at, encodings, sizeof(encodings));
	memcpy(f->data + at + 8, &count, sizeof(count));
	for (size_t i = 0; i < nr; i++) {
		int32_t begin = begins[i] - at;

		memcpy(f->data + at + 12 + 8 * i, &begin, sizeof(begin));
	}
}

/* Returns a descriptor of the file, which the caller closes. */
static inline int dynamic_file_open(const struct dynamic_file *f)
{
	int fd = memfd_create("dynamic", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, f, sizeof(*f)), (ssize_t)sizeof(*f));
	return fd;
}

#endif
