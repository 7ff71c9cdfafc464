/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function, by objdump of binutils. profrep hands it the open file, whose
 * build-id it has checked, and the range of the function.
 */
#ifndef REPORT_ANNOTATE_DISASSEMBLY_H
#define REPORT_ANNOTATE_DISASSEMBLY_H

#include <stdint.h>

#include "common/buildid.h"
#include "common/err.h"
#include "common/vec.h"
#include "elf/elf_names.h"

/* The files of a function. disassembled_files_open makes them. */
struct disassembled_files {
	struct elf_file binary, debug;
	bool has_binary, has_debug;
	const char *name; /* of the binary, for messages */
};

struct instruction {
	uint64_t addr;
	size_t text, len; /* in bytes */
};

/* All zero: none. */
struct disassembly {
	VEC(struct instruction) instructions; /* sorted */
	char_vec bytes;
};

/*
 * Opens the files at @binary, and @debug, which may be NULL, that have @build_id. Returns 0, or a
 * negative errno with @err set. Call disassembled_files_close in both cases.
 */
int disassembled_files_open(struct disassembled_files *files, const char *binary, const char *debug,
			    const struct build_id *build_id, struct err *err);

void disassembled_files_close(struct disassembled_files *files);

/*
 * Sets *@start and *@end to the addresses of the function with offset @off of the binary, and
 * *@addr to the address of the offset. Returns 0, -ENOENT with @err set if they are not known, or
 * -ENOMEM.
 */
int disassembly_find(struct disassembled_files *files, uint64_t off, uint64_t *addr,
		     uint64_t *start, uint64_t *end, struct err *err);

/* Runs objdump for [@start, @end). Returns 0, or a negative errno with @err set. */
int disassembly_make(struct disassembly *d, const struct disassembled_files *files, uint64_t start,
		     uint64_t end, struct err *err);

/*
 * Takes the instructions out of the output of objdump in @d->bytes. Returns 0 or -ENOMEM. Not
 * static for tests.
 */
int disassembly_parse(struct disassembly *d);

/* Returns the place of the instruction that has the byte at @addr; the number of all: none has. */
size_t disassembly_at(const struct disassembly *d, uint64_t addr);

void disassembly_free(struct disassembly *d);

#endif
