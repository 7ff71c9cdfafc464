/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of functions and of static probes (USDT) in a library or an executable. */
#ifndef RECORD_PROBES_USER_FUNCTIONS_H
#define RECORD_PROBES_USER_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "elf/elf_image.h"
#include "record/probes/name_vec.h"
#include "record/probes/pattern.h"
#include "record/probes/user_places.h"

/*
 * A function whose code is chosen when a program starts (STT_GNU_IFUNC), such as memcpy. Its symbol
 * has the address of the code that chooses.
 */
struct indirect_function {
	char *name;
	uint64_t resolver; /* address as linked */
	bool is_settled;   /* the code that was chosen is known */
};

typedef VEC(struct indirect_function) indirect_vec;

/* The functions of one file that a pattern matches. */
struct user_functions {
	user_place_vec places;
	indirect_vec indirect; /* functions without a place of their own, each address once */
	uint64_t nr_refused;   /* functions that begin with an instruction that takes no probe */
};

/*
 * Adds the functions of the file at @fd that @pattern matches to @found, each place once and in
 * order. A place is the entry of the function, after the mark of an entry (elf/arch.h) if that is
 * there. A pattern that is an offset is that place. Names are from the file and from its debug
 * symbols. Returns 0, also if there are none, -ENOEXEC (damaged, or no 64-bit ELF file), -ERANGE if
 * the offset is not in code, -E2BIG if the file has too many functions or repeats names until that
 * takes too much work, -ENOMEM, or a failing read's errno. The caller frees @found in any case.
 */
int user_functions_find(int fd, const struct pattern *pattern, struct user_functions *found);

/* As user_functions_find, for static probes. */
int usdt_find(int fd, const struct pattern *pattern, struct user_functions *found);

/*
 * Add the names of what @pattern matches to @names, which the caller frees: of functions, and of
 * static probes as PROVIDER:PROBE. Otherwise as user_functions_find and usdt_find.
 */
int user_functions_names(int fd, const struct pattern *pattern, name_vec *names);
int usdt_names(int fd, const struct pattern *pattern, name_vec *names);

/*
 * Adds the code at offset @off of the file, after the mark of an entry (elf/arch.h) if that is
 * there. A function begins there, or it need not (@is_entry). Returns 0, -E2BIG or -ENOMEM.
 */
int user_functions_add(const struct elf_image *elf, uint64_t off, bool is_entry,
		       struct user_functions *found);

/* Adds a place as it is, or refuses it. Returns 0, -E2BIG or -ENOMEM. */
int user_functions_add_place(const struct elf_image *elf, const struct user_place *place,
			     struct user_functions *found);

void user_functions_deinit(struct user_functions *functions);

#endif
