/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel that a program can be attached to by fentry. The kernel knows them by
 * their types in its BTF, and finds the code by the name alone.
 */
#ifndef RECORD_PROBES_KERNEL_ENTRIES_H
#define RECORD_PROBES_KERNEL_ENTRIES_H

#include "common/err.h"
#include "common/parse.h"
#include "record/probes/kernel_functions.h"
#include "record/probes/pattern.h"

/*
 * Adds the BTF ids of the functions @functions that @pattern matches to @btf_ids, and their names
 * to @found (NULL: they are not wanted). A function of a module has none here, nor one whose name
 * another function has, too. Returns 0 or a negative errno with @err set.
 */
int kernel_entries_find(const struct pattern *pattern, const struct kernel_functions *functions,
			u32_vec *btf_ids, name_vec *found, struct err *err);

#endif
