/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a file that names of functions, and places in the source, come from. The numbers are
 * those of the recording format (section NAME_SOURCES).
 */
#ifndef COMMON_NAME_PARTS_H
#define COMMON_NAME_PARTS_H

/* One bit each. */
enum name_part {
	NAME_PART_DYNSYM = 1,    /* .dynsym */
	NAME_PART_MINIDEBUG = 2, /* .symtab in .gnu_debugdata */
	NAME_PART_SYMTAB = 4,    /* .symtab */
	NAME_PART_PLT = 8,       /* relocations of the PLT */
	NAME_PART_GO = 16,       /* .gopclntab */
	NAME_PART_BOUNDS = 32,   /* .eh_frame: bounds of functions without a name */
	NAME_PART_DWARF = 64,    /* debug information: inlined functions and lines */
	NAME_PARTS_ALL = 127,
};

#endif
