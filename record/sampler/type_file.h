/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives libbpf the types of the kernel that the programs need, in place of all of them: a file in
 * memory with copies of some, and the numbers of those that programs are bound to.
 */
#ifndef RECORD_SAMPLER_TYPE_FILE_H
#define RECORD_SAMPLER_TYPE_FILE_H

#include "record/sampler/kernel_types.h"
#include "record/sampler/tracing_programs.h"

#define TYPE_FILE_PATH_BYTES 32

struct type_file {
	struct kernel_types types; /* all zero: libbpf must read them itself */
	struct tracing_programs tracing;
	int fd;
	char path[TYPE_FILE_PATH_BYTES]; /* for libbpf; empty: there is no file */
};

/*
 * Call it before the programs are opened with @path. If the kernel's types cannot be read, there is
 * no file, and libbpf says why. type_file_end is due in any case.
 */
void type_file_begin(struct type_file *file);

/*
 * Fills the file with the types that the programs know, which are in @programs. Call it before the
 * programs are loaded. Returns 0 or a negative errno.
 */
int type_file_fill(const struct type_file *file, const struct btf *programs);

/* Call it when the programs are loaded. */
void type_file_end(struct type_file *file);

#endif
