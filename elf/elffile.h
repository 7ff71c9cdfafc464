/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads an ELF file from anywhere with care. libelf reads headers and sections into memory
 * (ELF_C_READ), because a mapped file that somebody truncates raises SIGBUS. A report has large
 * files and needs few of their bytes, so it has sections mapped (elf/mapped_bytes.h). Every count
 * and offset in the file is checked before use. A wrong one is skipped or an error. Only
 * little-endian files are opened.
 */
#ifndef ELF_ELFFILE_H
#define ELF_ELFFILE_H

#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "elf/arch.h"
#include "elf/elf_image.h"
#include "elf/mapped_bytes.h"

/* A PT_LOAD entry. */
struct elf_segment {
	uint64_t off, file_size; /* in the file */
	uint64_t vaddr, mem_size;
	bool is_exec;
};

struct elf_section {
	uint64_t vaddr, off, size, entry_size;
	uint32_t type, link; /* SHT_*; index of the linked section */
	bool is_exec;
	bool is_read; /* has been read or mapped, and charged to the budget */
	struct mapped_bytes map;
	const char *made_name; /* NULL: the file has a header of it */
	uint8_t *bytes;        /* that were read of a section without a header */
};

/* The contents of a section; NULL: none. They live as long as the file. */
struct elf_bytes {
	const uint8_t *data;
	size_t size;
};

/* The file that a stripped file names. */
struct elf_debuglink {
	char name[NAME_MAX + 1]; /* without a directory */
	uint32_t crc;            /* of the file */
};

/*
 * The bytes that a report may still read of all files. Honest files stay far below the limit. The
 * budget ends reading that hostile recordings and files could make profrep repeat without end.
 */
struct file_budget {
	uint64_t bytes_left;
	bool is_spent; /* something was not read because of the budget */
};

struct elf_file {
	int fd;
	Elf *elf;
	struct file_budget *budget; /* NULL: none */
	uint64_t
		/* size of the file without the sections read: proper sections do not overlap */
		bytes_left;
	VEC(struct elf_segment) segments;
	VEC(struct elf_section) sections; /* by index; made ones are last (elf/elf_sections.h) */
	struct elf_image image;           /* owns the names of the made ones */
	const struct elf_arch *arch;      /* NULL: one without a row, or of 32 bits */
	bool is_64;
	bool maps_sections;
	bool out_of_memory; /* something was not read for lack of memory, so it is not missing */
	bool is_too_large;  /* something was not read because it is too large */
};

/*
 * Charges @bytes before they are read to @budget (NULL: none). Returns false if too few are left.
 */
bool file_budget_charge(struct file_budget *budget, uint64_t bytes);

/*
 * Opens the ELF file at @fd. @file owns @fd from then on, also after an error. Sections that are
 * read are charged to @budget (NULL: none), which must outlive @file. Returns 0, -ENOEXEC for a
 * file that is damaged or not ELF, or -ENOMEM.
 */
int elf_file_open(struct elf_file *file, int fd, struct file_budget *budget);

/* From now on, sections of @file are mapped and not read. Names from them change with the file. */
void elf_file_map_sections(struct elf_file *file);

/* Releases the file and everything read from it. A file that failed to open is fine. */
void elf_file_close(struct elf_file *file);

/*
 * Returns true if the file holds debug information alone. Its code is elsewhere (SHT_NOBITS), and
 * the file offsets of its segments mean nothing.
 */
bool elf_file_is_debug_only(const struct elf_file *file);

/*
 * The sources of function names, the best last. The recorder reads a file as it was mapped. So
 * names in a recording are as good as those of any copy of the file that lacks .symtab, or better.
 */
enum elf_quality {
	ELF_NO_NAMES,
	ELF_DYNSYM,    /* exported functions */
	ELF_MINIDEBUG, /* .gnu_debugdata */
	ELF_RECORDED,  /* in a recording, never in a file */
	ELF_SYMTAB,    /* .symtab */
	ELF_LINES,     /* .debug_info, asked for apart: elf_file_has_lines */
};

/* Looks at the headers of sections only. Returns ELF_SYMTAB at most. */
enum elf_quality elf_file_quality(struct elf_file *file);

/* Returns true if the file has debug information about functions and lines. */
bool elf_file_has_lines(struct elf_file *file);

/*
 * Returns the contents of section @index, as they are in the file. Returns NULL bytes if it has
 * none, or if they cannot be read. Sets @file->out_of_memory if memory was the reason.
 */
struct elf_bytes elf_file_section_bytes(struct elf_file *file, size_t index);

/*
 * Returns the contents of the section (SHT_SYMTAB_SHNDX) with the section numbers of the symbols in
 * section @table, NULL bytes if it has none. Files with more than 65,279 sections need it.
 */
struct elf_bytes elf_file_symbol_indices(struct elf_file *file, size_t table);

/* Returns the index of the first section of this name that has contents, 0 if none has. */
size_t elf_file_find_section(struct elf_file *file, const char *name);

/*
 * Copies the name of section @index into @name, of @size bytes. Returns false if the section has no
 * name, or a longer one.
 */
bool elf_file_section_name(struct elf_file *file, size_t index, char *name, size_t size);

/*
 * Reads .gnu_debuglink into @link. Returns false if the section is missing, damaged, or names a
 * path; @link then holds nothing of use.
 */
bool elf_file_debuglink(struct elf_file *file, struct elf_debuglink *link);

/* Computes the linked address of file offset @off. Returns false if no segment holds it. */
bool elf_file_vaddr(const struct elf_file *file, uint64_t off, uint64_t *vaddr);

/*
 * Computes the linked address in a file whose own offsets mean nothing. The binary has a mapping of
 * [@pgoff, @pgoff + @size). Returns false if it is not certain which segment that is.
 */
bool elf_file_vaddr_mapped(const struct elf_file *file, uint64_t off, uint64_t pgoff, uint64_t size,
			   uint64_t *vaddr);

#endif
