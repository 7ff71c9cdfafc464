/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters of languages that the child has found in files. Tells the BPF program how to
 * find the functions that they run, and the epoch which files they are.
 */
#ifndef RECORD_UNWIND_INTERPRETER_MAPS_H
#define RECORD_UNWIND_INTERPRETER_MAPS_H

#include <stdint.h>

#include "common/buildid.h"
#include "record/languages/files/found_interpreter.h"
#include "record/process/mapped_files.h"
#include "record/machines/process_machine.h"

/* A file with an interpreter. */
struct interpreter_of_file {
	struct build_id build_id;
	struct file_identity identity; /* all zero where the build-id alone is known */
	struct found_interpreter found;
	struct machine_notes machines; /* of the processes that have it */
};

/* All zero but the descriptors and the looker: there are none. */
struct interpreter_maps {
	struct interpreter_of_file files[MAX_INTERPRETERS];
	uint32_t nr;
	uint32_t languages; /* that the user wants, one bit 1 << enum language each */
	int interpreters;   /* maps of bpf/languages/interpreters.h; the sampler's */
	int executables;
	struct machines machines;
};

/* The file of an interpreter. Device, as makedev, and inode are 0 where they are not known. */
struct interpreter_place {
	const struct build_id *build_id;
	const struct file_identity *identity;
	uint64_t dev, ino;
};

/*
 * Adds the interpreter of a file, and tells the program of it. Returns its number + 1, by which the
 * program knows it, or 0 if the program cannot or need not walk it.
 */
uint32_t interpreter_maps_add(struct interpreter_maps *maps, const struct found_interpreter *found,
			      const struct interpreter_place *place);

/*
 * Is interpreter @nr to take the place of @old? Both are as interpreter_maps_add returned them. One
 * that has functions is better than one that has rules for made code alone.
 */
bool interpreter_maps_is_better(const struct interpreter_maps *maps, uint32_t nr, uint32_t old);

/* The interpreter that @file is, or NULL. */
const struct interpreter_of_file *interpreter_maps_find(const struct interpreter_maps *maps,
							const struct mapped_file *file);

#endif
