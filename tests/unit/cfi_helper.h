/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes call frame information byte by byte, good or as no compiler would make it, and ELF files
 * around it.
 */
#ifndef TESTS_CFI_HELPER_H
#define TESTS_CFI_HELPER_H

#include <check.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/vec.h"
#include "tests/unit/elfwriter.h"

/* The addresses of the section with frames, and of the code. */
#define FRAMES_VADDR 0x500000
#define CODE_VADDR   0x401000
/* The place of the code in files: pages 1 to 8 of 64 KiB. */
#define CODE_OFF  0x10000
#define CODE_SIZE 0x80000

typedef VEC(uint8_t) frames;

/* Bytes and their number. */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define NO_BYTES   (const uint8_t *)"", 0

/* Compilers begin with this: the CFA is rsp + 8, the return address is at CFA - 8. */
#define USUAL_INITIAL BYTES(0x0c, 7, 8, 0x90, 1)

static inline void put(frames *f, const void *bytes, size_t len)
{
	ck_assert_int_eq(vec_append(f, (const uint8_t *)bytes, len), 0);
}

static inline void put_number(frames *f, uint64_t n, size_t size)
{
	put(f, &n, size);
}

static inline void put_u8(frames *f, uint8_t n)
{
	put(f, &n, 1);
}

/* Sets the length of the entry that began at @at. */
static inline void end_entry(frames *f, size_t at)
{
	uint32_t len = f->nr - at - 4;

	memcpy(f->data + at, &len, sizeof(len));
}

/* A CIE of .eh_frame with @letters and their @data. Returns its place. */
static inline size_t put_cie(frames *f, const char *letters, const uint8_t *data, size_t nr,
			     const uint8_t *program, size_t size)
{
	size_t at = f->nr;

	put_number(f, 0, 8); /* length, id */
	put_u8(f, 1);
	put(f, letters, strlen(letters) + 1);
	put_u8(f, 1);    /* code_align */
	put_u8(f, 0x78); /* data_align: -8 */
	put_u8(f, 16);
	if (*letters == 'z')
		put_u8(f, nr);
	put(f, data, nr);
	put(f, program, size);
	end_entry(f, at);
	return at;
}

/* The usual CIE: "zR", pointers are pcrel sdata4. */
static inline size_t put_usual_cie(frames *f)
{
	return put_cie(f, "zR", BYTES(0x1b), USUAL_INITIAL);
}

/* An FDE of the CIE at @cie, with pointers as in the usual CIE. */
static inline void put_fde(frames *f, size_t cie, uint64_t start, uint32_t len,
			   const uint8_t *program, size_t size)
{
	size_t at = f->nr;

	put_number(f, 0, 4);
	put_number(f, f->nr - cie, 4);
	put_number(f, start - (FRAMES_VADDR + f->nr), 4);
	put_number(f, len, 4);
	put_u8(f, 0);
	put(f, program, size);
	end_entry(f, at);
}

struct test_section {
	const char *name;
	uint32_t type;
	uint64_t vaddr;
	const void *bytes;
	size_t size;
};

#define MORE_SECTIONS_MAX 2

struct test_elf {
	const char *name; /* of the section with the frames; NULL: .eh_frame */
	uint64_t flags;   /* SHF_* of it */
	void (*spoil)(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3]); /* NULL: not */
	const struct test_section *more;                                       /* sections */
	size_t nr_more;
};

/* The names of sections. */
struct test_names {
	char bytes[128];
	size_t nr;
};

/* Returns the place of @name. */
static inline uint32_t add_section_name(struct test_names *names, const char *name)
{
	size_t at = names->nr;

	names->nr += strlen(name) + 1;
	ck_assert_uint_le(names->nr, sizeof(names->bytes));
	memcpy(names->bytes + at, name, names->nr - at);
	return at;
}

/* A file with code at CODE_OFF and a section of these @bytes. Returns its descriptor. */
static inline int make_elf(const struct test_elf *spec, const uint8_t *bytes, size_t len)
{
	const char *name = spec->name ? spec->name : ".eh_frame";
	Elf64_Ehdr eh = elfw_header();
	Elf64_Phdr ph = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_offset = CODE_OFF,
			 .p_vaddr = CODE_VADDR,
			 .p_filesz = CODE_SIZE,
			 .p_memsz = CODE_SIZE};
	Elf64_Shdr sh[3 + MORE_SECTIONS_MAX] = {0};
	uint64_t at = CODE_OFF + CODE_SIZE, end = at + len;
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct test_names names = {.nr = 1};

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_le(spec->nr_more, MORE_SECTIONS_MAX);
	eh.e_phoff = sizeof(eh);
	eh.e_phnum = 1;
	eh.e_shnum = 3 + spec->nr_more;
	eh.e_shstrndx = 2;
	sh[1] = (Elf64_Shdr){.sh_name = add_section_name(&names, name),
			     .sh_type = SHT_PROGBITS,
			     .sh_flags = spec->flags,
			     .sh_addr = FRAMES_VADDR,
			     .sh_offset = at,
			     .sh_size = len};
	ck_assert_int_eq(pwrite(fd, bytes, len, at), (ssize_t)len);
	for (size_t i = 0; i < spec->nr_more; i++) {
		const struct test_section *more = &spec->more[i];

		sh[3 + i] = (Elf64_Shdr){.sh_name = add_section_name(&names, more->name),
					 .sh_type = more->type,
					 .sh_addr = more->vaddr,
					 .sh_offset = end,
					 .sh_size = more->size};
		ck_assert_int_eq(pwrite(fd, more->bytes, more->size, end), (ssize_t)more->size);
		end += more->size;
	}
	sh[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = end, .sh_size = names.nr};
	ck_assert_int_eq(pwrite(fd, names.bytes, names.nr, end), (ssize_t)names.nr);
	eh.e_shoff = end + names.nr;
	if (spec->spoil)
		spec->spoil(&eh, &ph, sh);
	ck_assert_int_eq(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	ck_assert_int_eq(pwrite(fd, &ph, sizeof(ph), sizeof(eh)), sizeof(ph));
	ck_assert_int_eq(pwrite(fd, sh, eh.e_shnum * sizeof(*sh), end + names.nr),
			 (ssize_t)(eh.e_shnum * sizeof(*sh)));
	return fd;
}

#endif
