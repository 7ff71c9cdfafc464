/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of debug sections. They are mapped (elf/mapped_bytes.h), and compressed ones are
 * unpacked into memory.
 */
#ifndef REPORT_SYMBOLS_SECTION_BYTES_H
#define REPORT_SYMBOLS_SECTION_BYTES_H

#include "elf/elffile.h"
#include "elf/mapped_bytes.h"

/* All zero: none. */
struct section_bytes {
	const uint8_t *data;
	uint64_t size;
	void *memory; /* of an unpacked section */
	struct mapped_bytes map;
};

/*
 * Gets the contents of section @index of @file, without compression. @is_old says that the section
 * has GNU's older kind of compression, ".zdebug". Leaves @bytes empty if the section is damaged,
 * empty, of an unknown compression, too large, or beyond the budget. Returns 0 or -ENOMEM. The
 * bytes do not need @file to stay open.
 */
int section_bytes_get(struct elf_file *file, size_t index, bool is_old,
		      struct section_bytes *bytes);

/* Returns the bytes of memory that were allocated for the section. */
static inline size_t section_bytes_memory(const struct section_bytes *bytes)
{
	return bytes->memory ? bytes->size : 0;
}

void section_bytes_release(struct section_bytes *bytes);

#endif
