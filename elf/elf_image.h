/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file that is read part by part, for readers that need few parts and must not trust it:
 * every number in it is checked against the size of the file, and parts are read into memory,
 * because a mapped file that somebody truncates would raise SIGBUS. elf/elffile.h reads files
 * whole, by libelf.
 */
#ifndef ELF_ELF_IMAGE_H
#define ELF_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image {
	int fd; /* borrowed */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr *segments; /* header.e_phnum */
	Elf64_Shdr *sections; /* NULL: nobody read them (elf/elf_sections.h) */
	size_t nr_sections;
	bool has_made_sections; /* from first_made on: the file has no headers of them */
	size_t first_made;
	char *names; /* of sections; ends with a NUL */
	size_t names_size;
};

#define elf_image_for_each_segment(elf, ph)                                                        \
	for (const Elf64_Phdr *ph = (elf)->segments;                                               \
	     ph && ph < (elf)->segments + (elf)->header.e_phnum; ph++)

/*
 * Reads the header of the file at @fd and its segments. Returns 0, -ENOEXEC (damaged, or no 64-bit
 * ELF file), -EFBIG (beyond a limit), -ENOMEM, or a failing read's errno. The caller calls
 * elf_image_close in either case.
 */
int elf_image_open_segments(int fd, struct elf_image *elf);

void elf_image_close(struct elf_image *elf);

/* Returns the name of a section, "" if it has none. */
const char *elf_image_section_name(const struct elf_image *elf, const Elf64_Shdr *section);

/* Finds a section with bytes in the file by its name; NULL if there is none. */
const Elf64_Shdr *elf_image_find_section(const struct elf_image *elf, const char *name);

/*
 * Reads a section into new memory, which ends with a NUL after the section. Returns 0, -ENOEXEC if
 * the section is not within the file, -EFBIG if it exceeds 512 MB, -ENOMEM, or a failing read's
 * errno.
 */
int elf_image_read_section(const struct elf_image *elf, const Elf64_Shdr *section, void *bytes);

/* Reads @len bytes at offset @off of the file. Returns 0 or -ENOEXEC. */
int elf_image_read(const struct elf_image *elf, uint64_t off, void *buf, size_t len);

/*
 * Finds the offset in the file of address @vaddr, in a segment with all of the flags @flags (PF_X,
 * or 0 for any). Returns false if no such segment holds it, or if the file ends before it.
 */
bool elf_image_find_offset(const struct elf_image *elf, uint64_t vaddr, uint32_t flags,
			   uint64_t *off);

#endif
