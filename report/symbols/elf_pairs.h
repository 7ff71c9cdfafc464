/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of objects: a binary, and the debug file that belongs to it. Each interval of a report
 * asks for nearly the same files. So those that were used last stay open, with the sections that
 * were read.
 */
#ifndef REPORT_SYMBOLS_ELF_PAIRS_H
#define REPORT_SYMBOLS_ELF_PAIRS_H

#include "report/symbols/debug_info.h"
#include "report/files/debugfiles.h"

/* The files of an object. A file that is not there, or is no ELF file, is closed: {.fd = -1}. */
struct elf_pair {
	struct elf_file binary, debug;
	bool has_binary, has_debug;
	char *binary_path, *debug_path; /* for the user; NULL: the file was not used */
	bool is_fetched;                /* one of them is from a server */
	struct debug_wanted wanted;     /* with copies of its parts */
	struct prof_file_info file;
	uint64_t bytes;          /* read of both files */
	struct debug_info *info; /* of the better file, after elf_pair_info; NULL: none */
	bool has_asked;          /* elf_pair_info was called */
	bool is_info_of_debug;   /* info is of the debug file */
};

/* The most bytes of sections, and the most objects, whose files stay open. */
#define ELF_PAIRS_KEPT_BYTES (UINT64_C(512) << 20)
#define ELF_PAIRS_KEPT       256

/* All zero: none yet. */
struct elf_pairs {
	VEC(struct elf_pair *) kept; /* the one that was used last is the last one */
	uint64_t bytes;              /* of all that are kept */
	bool keeps;                  /* files stay open after their use */
};

/*
 * Finds and opens the files of @wanted. Returns 0 with *@pair, or with *@pair NULL and the reason
 * in *@miss; or -ENOMEM. elf_pairs_put must follow for a pair.
 */
int elf_pairs_get(struct elf_pairs *pairs, const struct debug_roots *roots,
		  const struct debug_wanted *wanted, struct elf_pair **pair, enum debug_miss *miss);

/*
 * Returns the debug information of @pair, with the file that it shares with others, in *@info, or
 * NULL. It lives as long as the pair. Returns 0 or -ENOMEM.
 */
int elf_pair_info(struct elf_pair *pair, const struct debug_roots *roots, struct debug_info **info);

/* The last pair from elf_pairs_get is not used any more: keeps it, or closes its files. */
void elf_pairs_put(struct elf_pairs *pairs, struct elf_pair *pair);

void elf_pairs_deinit(struct elf_pairs *pairs);

#endif
