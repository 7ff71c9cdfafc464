/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions and probes, which the list owns. */
#ifndef RECORD_PROBES_NAME_VEC_H
#define RECORD_PROBES_NAME_VEC_H

#include <stdbool.h>

#include "common/vec.h"

typedef VEC(char *) name_vec;

/* Adds a copy of @name. Returns 0 or -ENOMEM. */
int name_vec_add(name_vec *names, const char *name);

/* Sorts the names, in the order of their bytes. */
void name_vec_sort(name_vec *names);

/* Have the sorted names this one? */
bool name_vec_has(const name_vec *names, const char *name);

void name_vec_free(name_vec *names);

#endif
