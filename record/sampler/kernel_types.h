/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's types (BTF). The kernel describes more than a hundred thousand of them in 6 MB. The
 * programs need the places of fields in some twenty, and the numbers of a few functions. libbpf
 * parses all types, and compares the names of all for each type that the programs know. That takes
 * more CPU time than all else that the recorder does at the start. So the recorder copies the types
 * that the programs know, and libbpf gets the copies.
 */
#ifndef RECORD_SAMPLER_KERNEL_TYPES_H
#define RECORD_SAMPLER_KERNEL_TYPES_H

#include <bpf/btf.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

/* All zero: there are none. */
struct kernel_types {
	const char *data; /* the BTF of the kernel as it is */
	size_t size;
	void *mapped; /* the data, or NULL: it is in bytes */
	char_vec bytes;
	const char *strings;
	uint32_t strings_size;
	VEC(uint32_t) offsets; /* in the data, of each type by its number */
};

/* Reads the types of the kernel that runs. Returns 0, or a negative errno and no types. */
int kernel_types_open(struct kernel_types *types);

/*
 * Finds the types in the @size bytes at @data, which must stay. Returns 0, -EBADMSG, -EOPNOTSUPP
 * for a kind of type that is not known, or -ENOMEM. kernel_types_close is due in any case.
 */
int kernel_types_parse(const char *data, size_t size, struct kernel_types *types);

/* The number of the type of @kind (BTF_KIND_FUNC, ...) with that name; 0: there is none. */
uint32_t kernel_types_find(const struct kernel_types *types, const char *name, uint32_t kind);

/* The name of type @id, if it is a function; else NULL. The numbers begin at 1. */
const char *kernel_types_function(const struct kernel_types *types, uint32_t id);

/*
 * Copies the structs and unions of the kernel that have a name in common with one of @programs.
 * What pointers in them point to is left out, and so are fields of other structs inside. *@copy is
 * the caller's (btf__free). Returns 0 or a negative errno.
 */
int kernel_types_copy(const struct kernel_types *types, const struct btf *programs,
		      struct btf **copy);

void kernel_types_close(struct kernel_types *types);

#endif
