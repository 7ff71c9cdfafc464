/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer of the process that looks names up: for file offsets, the symbols that a file has
 * there. They are those that profrep finds with the file at hand, and travel without its tables.
 * So each has the range in which no other function of the file is, but those that begin in it.
 */
#ifndef RECORD_SYMBOLS_NAMES_ANSWER_H
#define RECORD_SYMBOLS_NAMES_ANSWER_H

#include <stddef.h>
#include <stdint.h>

/* Addresses of one request. */
#define NAMES_OFFSETS_MAX (1u << 20)

/* The longest name. profrep demangles none that is longer. */
#define NAMES_NAME_MAX (16u << 10)

/* Bytes of all names in an answer. */
#define NAMES_BYTES_MAX (4u << 20)

/*
 * An answer begins with this. A number for each offset, symbols, and the bytes of names follow. The
 * number is that of a symbol and 1, or 0 for none.
 */
struct names_head {
	uint32_t nr_symbols;
	uint32_t nr_bytes; /* of names */
	uint32_t is_cut;   /* 1: the file is too large to read all of it, so names may be missing */
	uint32_t parts;    /* of the file that the symbols are from: bits of enum name_part */
};

/* A symbol of an answer. Without a name, it has the bounds of a function. */
struct names_symbol {
	uint64_t off, size; /* file offset */
	uint32_t name, len; /* place of the name among the bytes, where it ends with a NUL */
};

/*
 * Looks the @nr sorted offsets up in the file at @fd, which stays open. *@memory is a sealed memfd
 * with the answer. Returns 0 or a negative errno.
 */
int names_answer_make(int fd, const uint64_t *offsets, size_t nr, int *memory);

#endif
