/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of large sections. Debug information has hundreds of megabytes, and a report needs
 * parts of it. So sections are mapped and not read. Compressed ones are unpacked into memory.
 *
 * Somebody may truncate a mapped file. Reading beyond its end then raises SIGBUS, and the handler
 * here puts a page of zeros there. Zeros are damaged debug information, which readers expect
 * anyway.
 */
#ifndef REPORT_SYMBOLS_SECTION_BYTES_H
#define REPORT_SYMBOLS_SECTION_BYTES_H

#include "elf/elffile.h"

/* All zero: none. */
struct section_bytes {
	const uint8_t *data;
	uint64_t size;
	void *memory; /* a mapping, or allocated if map_size is 0 */
	size_t map_size;
};

/*
 * Gets the contents of section @index of @file, without compression. @is_old says that the section
 * has GNU's older kind of compression, ".zdebug". Leaves @bytes empty if the section is damaged,
 * empty, of an unknown compression, too large, or beyond the budget. Returns 0 or -ENOMEM. The
 * bytes do not need
 * @file to stay open.
 */
int section_bytes_get(struct elf_file *file, size_t index, bool is_old,
		      struct section_bytes *bytes);

/* Returns the bytes of memory that were allocated for the section. */
static inline size_t section_bytes_memory(const struct section_bytes *bytes)
{
	return bytes->map_size ? 0 : bytes->size;
}

void section_bytes_release(struct section_bytes *bytes);

#endif
