/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of functions and of static probes (USDT) in a library or an executable. */
#ifndef RECORD_PROBES_USER_FUNCTIONS_H
#define RECORD_PROBES_USER_FUNCTIONS_H

#include <stdint.h>

#include "common/vec.h"
#include "record/probes/pattern.h"

/* A place in a file where a probe can be. */
struct user_place {
	uint64_t off;       /* in the file */
	uint64_t semaphore; /* offset in the file of its counter of users; 0: it has none */
};

typedef VEC(struct user_place) user_place_vec;

/*
 * Adds the functions of the file at @fd that @pattern matches, each place once and in order. A
 * place is the entry of the function, after the instruction endbr64 if that is there. A pattern
 * that is an offset is that place. Returns 0, also if there are none, -ENOEXEC (damaged, or no
 * 64-bit ELF file), -ERANGE if the offset is not in code, -ENOMEM, or a failing read's errno.
 */
int user_functions_find(int fd, const struct pattern *pattern, user_place_vec *found);

/* As user_functions_find, for static probes. */
int usdt_find(int fd, const struct pattern *pattern, user_place_vec *found);

/* Sorts the places, and leaves each once. */
void user_places_sort(user_place_vec *places);

#endif
