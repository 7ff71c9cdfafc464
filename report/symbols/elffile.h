/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file from anywhere, read with care. libelf reads sections into memory (ELF_C_READ): a
 * mapped file that is truncated meanwhile would raise SIGBUS. Every count and offset in the file
 * is checked before it is used; what does not hold is skipped or an error, never believed.
 */
#ifndef REPORT_SYMBOLS_ELFFILE_H
#define REPORT_SYMBOLS_ELFFILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

/* A PT_LOAD entry. */
struct elf_segment {
	uint64_t off, file_size; /* in the file */
	uint64_t vaddr, mem_size;
	bool is_exec;
};

struct elf_section {
	uint64_t vaddr, size;
	uint32_t type, link; /* SHT_*; index of the linked section */
	bool is_exec;
	bool is_read; /* and charged to the budget */
};

/*
 * How much may be read of all files of a report. Files that nobody made for this stay far below it;
 * it ends what hostile recordings and files could make profrep read again and again.
 */
struct file_budget {
	uint64_t bytes_left;
	bool is_spent; /* something was not read since it would have exceeded the budget */
};

struct elf_file {
	int fd;
	Elf *elf;
	struct file_budget *budget; /* NULL: none */
	uint64_t
		bytes_left; /* sections of a proper file do not overlap: its size less those read */
	VEC(struct elf_segment) segments;
	VEC(struct elf_section) sections; /* by index */
	bool out_of_memory; /* something could not be read for that reason: it is not missing */
};

/* Charges @bytes that are to be read to @budget (NULL: none). Returns false when it is spent. */
bool file_budget_charge(struct file_budget *budget, uint64_t bytes);

/*
 * Opens the ELF file at @fd, which belongs to @file from then on, also on failure. Sections that
 * are read are charged to @budget (NULL: none), which must outlive @file. Returns 0, -ENOEXEC when
 * it is no ELF file or a damaged one, or -ENOMEM.
 */
int elf_file_open(struct elf_file *file, int fd, struct file_budget *budget);

/* Releases the file and what was read from it. A file that failed to open is fine. */
void elf_file_close(struct elf_file *file);

/*
 * Whether the file has only what debuggers need: its code is not in it (SHT_NOBITS), and the file
 * offsets of its segments mean nothing.
 */
bool elf_file_is_debug_only(const struct elf_file *file);

/*
 * The contents of section @index, or NULL when it has none or they cannot be read; @file->
 * out_of_memory says whether for want of memory.
 */
Elf_Data *elf_file_section_data(struct elf_file *file, size_t index);

/*
 * The file's .gnu_debuglink: a file name without a directory, and the CRC of the file meant. The
 * name lives as long as @file. Returns false when there is none, or it names a path.
 */
bool elf_file_debuglink(struct elf_file *file, const char **name, uint32_t *crc);

/* The address that file offset @off is linked at. Returns false when no segment holds it. */
bool elf_file_vaddr(const struct elf_file *file, uint64_t off, uint64_t *vaddr);

/*
 * The same for a file whose own offsets mean nothing, by a mapping of [@pgoff, @pgoff + @size) of
 * the binary. Returns false when it is not certain which segment that is.
 */
bool elf_file_vaddr_mapped(const struct elf_file *file, uint64_t off, uint64_t pgoff, uint64_t size,
			   uint64_t *vaddr);

#endif
