/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answers about one file: for each file offset that was asked for, the symbol that covers it or
 * none. They come from a child that read a hostile file, so nothing in them is trusted.
 */
#ifndef RECORD_SYMBOLS_KNOWN_NAMES_H
#define RECORD_SYMBOLS_KNOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/index.h"
#include "common/parse.h"
#include "common/vec.h"
#include "record/symbols/names_answer.h"

struct known_offset {
	uint64_t off;
	uint32_t symbol; /* its number and 1; 0: none */
};

struct known_symbol {
	uint64_t off, size;
	uint32_t name, len; /* among the bytes, with a NUL at the end */
	uint32_t recording; /* the latest that has it; for the caller, 0 at first */
};

/* All zero: nothing is known. */
struct known_names {
	VEC(struct known_offset) offsets; /* sorted */
	VEC(struct known_symbol) symbols; /* each once */
	struct index by_off;              /* of symbols */
	char_vec bytes;
	uint8_t parts; /* of the file that symbols are from: bits of enum name_part */
	bool is_cut;   /* the file is too large to read all of it */
};

/*
 * Adds the answer in @memory about the sorted @offsets, none of which is known yet. Returns 0,
 * -EBADMSG if the answer is damaged, or -ENOMEM. After an error, no offset more is known.
 */
int known_names_add(struct known_names *known, int memory, const u64_vec *offsets);

/* Is there an answer about @off? *@symbol is NULL if no symbol covers it. */
bool known_names_find(const struct known_names *known, uint64_t off, struct known_symbol **symbol);

/* The bytes that it holds. */
size_t known_names_bytes(const struct known_names *known);

/* Afterwards nothing is known. */
void known_names_deinit(struct known_names *known);

#endif
