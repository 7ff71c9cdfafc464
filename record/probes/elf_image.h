/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an ELF file that tell where its functions and static probes are. The file may be
 * anybody's, so every number in it is checked against the size of the file. Parts are read into
 * memory, because a mapped file that somebody truncates would raise SIGBUS.
 */
#ifndef RECORD_PROBES_ELF_IMAGE_H
#define RECORD_PROBES_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image {
	int fd; /* borrowed */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr *segments; /* header.e_phnum */
	Elf64_Shdr *sections; /* header.e_shnum; NULL: there are none */
	char *names;          /* of sections; ends with a NUL */
	size_t names_size;
};

/*
 * Reads the headers of the file at @fd. Returns 0, -ENOEXEC (damaged, or no 64-bit ELF file),
 * -ENOMEM, or a failing read's errno. The caller calls elf_image_close in either case.
 */
int elf_image_open(int fd, struct elf_image *elf);

void elf_image_close(struct elf_image *elf);

/* Returns the name of a section, "" if it has none. */
const char *elf_section_name(const struct elf_image *elf, const Elf64_Shdr *section);

/* Finds a section by its name; NULL if there is none. */
const Elf64_Shdr *elf_find_section(const struct elf_image *elf, const char *name);

/*
 * Reads a section into new memory, which ends with a NUL after the section. Returns 0, -ENOEXEC if
 * the section is not within the file or exceeds 512 MB, -ENOMEM, or a failing read's errno.
 */
int elf_read_section(const struct elf_image *elf, const Elf64_Shdr *section, void *bytes);

/* Reads @len bytes at offset @off of the file. Returns 0 or -ENOEXEC. */
int elf_read_at(const struct elf_image *elf, uint64_t off, void *buf, size_t len);

/*
 * Finds the offset in the file of address @vaddr, in a segment with all of the flags @flags (PF_X,
 * or 0 for any). Returns false if no such segment holds it, or if the file ends before it.
 */
bool elf_file_offset(const struct elf_image *elf, uint64_t vaddr, uint32_t flags, uint64_t *off);

#endif
