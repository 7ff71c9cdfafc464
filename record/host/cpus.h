/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs, which the kernel and users write as "0-3,7". */
#ifndef RECORD_HOST_CPUS_H
#define RECORD_HOST_CPUS_H

#include <stdbool.h>

#include "common/err.h"
#include "common/parse.h"

/*
 * Appends the CPUs that are online, ascending. @err may be NULL. Returns 0 or a negative errno with
 * @err set.
 */
int cpus_online(u32_vec *cpus, struct err *err);

/*
 * Appends all CPUs that can ever come online, ascending; some numbers may be missing. The values of
 * a per-CPU map have the order of this list. Returns 0 or a negative errno with @err set.
 */
int cpus_possible(u32_vec *cpus, struct err *err);

/* Is @cpu in the list? If so, *@index is its position. */
bool cpus_find(const u32_vec *cpus, uint32_t cpu, size_t *index);

/* Is @cpu in the list? */
bool cpus_has(const u32_vec *cpus, uint32_t cpu);

/*
 * Appends to @changed each CPU that is in @before or in @now, but not in both, and not yet in
 * @changed. Returns 0 or -ENOMEM.
 */
int cpus_compare(const u32_vec *before, const u32_vec *now, u32_vec *changed);

/*
 * Writes @cpus, which are ascending, as "0-3,7". Returns a string that the caller frees, or NULL
 * when memory is out.
 */
char *cpus_format(const u32_vec *cpus);

/*
 * Chooses the CPUs to sample: those of @wanted, or all that are online if it is empty. @online
 * receives the latter. Returns 0 or a negative errno with @err set.
 */
int cpus_choose(const u32_vec *wanted, u32_vec *online, u32_vec *cpus, struct err *err);

#endif
