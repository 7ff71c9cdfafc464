/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug sections of one file as bytes. Whoever opened the file keeps them. Nothing in
 * report/dwarf opens files or knows ELF.
 *
 * Every byte may be hostile, and a mapped file may change at any time. So each number is read once
 * and then checked, and each read stays inside its section.
 */
#ifndef REPORT_DWARF_DWARF_FILE_H
#define REPORT_DWARF_DWARF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/vec.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_CU_INDEX, /* of a package of split units */
	NR_DWARF_SECTIONS,
};

/* The contents of a section; size 0: the file has none. */
struct dwarf_bytes {
	const uint8_t *data;
	uint64_t size;
};

struct dwarf_unit;

struct dwarf_file {
	struct dwarf_bytes sections[NR_DWARF_SECTIONS];
	const struct dwarf_file
		*alt; /* the file that dwz shares among files, with units; or NULL */
	/* The units of DWARF_INFO in their order; dwarf_units_read fills it. */
	VEC(struct dwarf_unit) units;
};

/* The sizes in a unit, by which its forms are read. */
struct dwarf_sizes {
	uint8_t address;     /* 4 or 8 */
	uint8_t offset;      /* 4 or 8: 64-bit DWARF */
	uint8_t ref_address; /* of DW_FORM_ref_addr: in DWARF 2 that of an address */
};

/* A text in a section: not NUL-terminated as far as anybody knows. s is NULL for none. */
struct dwarf_text {
	const char *s;
	uint32_t len;
};

/* Returns the bytes of all sections of @file, which may be NULL. */
static inline uint64_t dwarf_file_bytes(const struct dwarf_file *file)
{
	uint64_t bytes = 0;

	for (size_t i = 0; file && i < NR_DWARF_SECTIONS; i++)
		bytes += file->sections[i].size;
	return bytes;
}

/* A cursor that is bad and empty. It points somewhere, since nothing may be added to NULL. */
static inline struct cursor dwarf_bad_cursor(void)
{
	static const uint8_t nothing[1];

	return (struct cursor){.p = nothing, .end = nothing, .bad = true};
}

/* A cursor from @off to the end of the section. It is bad if @off is beyond the end. */
static inline struct cursor dwarf_cursor(const struct dwarf_file *file, enum dwarf_section section,
					 uint64_t off)
{
	const struct dwarf_bytes *bytes = &file->sections[section];

	if (off > bytes->size || !bytes->data)
		return dwarf_bad_cursor();
	return (struct cursor){.p = bytes->data + off, .end = bytes->data + bytes->size};
}

#endif
