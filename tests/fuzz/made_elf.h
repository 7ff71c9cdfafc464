/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in memory: of bytes, or ELF files around sections. Each function aborts if it fails. */
#ifndef TESTS_FUZZ_MADE_ELF_H
#define TESTS_FUZZ_MADE_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* A section of an ELF file that is made. */
struct made_section {
	const char *name;
	uint32_t type;
	uint64_t vaddr, entry_bytes;
	uint32_t link; /* another section, counted from 1 */
	const void *bytes;
	size_t size;
};

/* The sections of a file that is made, besides the one with their names. */
#define MADE_SECTIONS_MAX 16

/* Returns a descriptor of a file of the @len bytes. */
int made_file(const void *bytes, size_t len);

/* Returns a descriptor of an ELF file for x86-64 with the segment @load and @sections. */
int made_elf(const Elf64_Phdr *load, const struct made_section *sections, size_t nr);

#endif
