/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .gopclntab, the table of functions that programs in Go need to run. Stripped programs keep it,
 * too.
 *
 * The table begins with a magic number, 4 more bytes, and numbers of 8 bytes: counts, and offsets
 * of parts. The functions are sorted by address. Each has its address, and the place of a record
 * with the places of its name and of its programs. From Go 1.18 on, addresses are of 4 bytes,
 * relative to the start of the code. The linker of position-independent programs leaves that start
 * to a relocation. From Go 1.26 on, the table lacks it, and the section .go.module has it.
 *
 * Formats: runtime/symtab.go of Go, structs pcHeader and moduledata; debug/gosym/pclntab.go. The
 * bytes come out of anybody's files, so they are read with care.
 */
#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Place of the start of the code, from Go 1.18 on. */
#define GO_TEXT_START_OFF 24

/*
 * Places of the first function and of the start of the code in .go.module, from Go 1.26 on:
 * moduledata.minpc and moduledata.text. The runtime insists that the table agrees with the first.
 */
#define GO_MODULE_FIRST_OFF 160
#define GO_MODULE_TEXT_OFF  176

struct go_table {
	const uint8_t *bytes;
	size_t size;
	uint8_t quantum;     /* addresses of instructions are multiples of it */
	bool has_start;      /* addresses count from text_start: Go 1.18 and later */
	uint64_t text_start; /* 0: the table leaves it out */
	uint64_t nr;         /* of functions */
	uint64_t names;      /* offset of the names */
	uint64_t programs;   /* offset of the programs that tell things by address */
	uint64_t functions;  /* offset of the functions; places of their records count from here */
	size_t number_size;  /* bytes of an address, and of a place, in the list of functions */
	bool has_line;       /* records have the line of the function: Go 1.20 and later */
};

/* What the runtime needs to know of a function. */
#define GO_TOP_FRAME  1 /* it has no caller */
#define GO_SETS_STACK 2 /* it writes to the stack pointer what no program tells */
#define GO_ASSEMBLER  4 /* it is no code of the compiler's */

struct go_record {
	uint32_t name;       /* offset in the names */
	uint32_t sp_program; /* offset in the programs; 0: there is none */
	uint8_t flags;       /* GO_*; Go 1.16 has none */
};

/*
 * Reads the header of the table in @bytes, which stay the caller's, of an architecture that has
 * @quantum (elf/arch.h). Returns false if it is damaged, or not of Go 1.16, 1.18, 1.20 or later.
 */
bool go_table_read(const uint8_t *bytes, size_t size, uint8_t quantum, struct go_table *table);

/*
 * Finds the table in a section that holds other things, too: linkers other than Go's put it into
 * .data.rel.ro. Returns its offset, or @size if there is none.
 */
size_t go_table_find(const uint8_t *bytes, size_t size, uint8_t quantum);

/* The address of function @i, less text_start. For i == nr it is the end of the last one. */
uint64_t go_table_address(const struct go_table *table, uint64_t i);

/* Reads the record of function @i. Returns false if its name is not within the table. */
bool go_table_record(const struct go_table *table, uint64_t i, struct go_record *record);

/* The bytes at a name, *@left of them up to the end of the table; NULL if there are none. */
const char *go_table_name(const struct go_table *table, uint32_t name, size_t *left);

#endif
