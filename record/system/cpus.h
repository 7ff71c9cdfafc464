/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU lists: which CPUs are online, and lists as the kernel and users write them ("0-3,7"). */
#ifndef RECORD_SYSTEM_CPUS_H
#define RECORD_SYSTEM_CPUS_H

#include <stdbool.h>

#include "common/err.h"
#include "common/parse.h"

/* Appends the CPUs that are online, ascending. Returns 0 or a negative errno with @err set. */
int cpus_online(u32_vec *cpus, struct err *err);

/*
 * The same of the CPUs that can ever be. In this order values of per-CPU maps stand; there may be
 * gaps in the numbers.
 */
int cpus_possible(u32_vec *cpus, struct err *err);

/* Is @cpu among them, and as which one? *@index stays as it is when it is not. */
bool cpus_find(const u32_vec *cpus, uint32_t cpu, size_t *index);
bool cpus_has(const u32_vec *cpus, uint32_t cpu);

/*
 * Appends to @changed the CPUs that are in one only of @before and @now, and not in @changed yet.
 * Returns 0 or -ENOMEM.
 */
int cpus_compare(const u32_vec *before, const u32_vec *now, u32_vec *changed);

/* Writes @cpus, which are ascending, in list form. Returns a string the caller frees, or NULL. */
char *cpus_format(const u32_vec *cpus);

#endif
