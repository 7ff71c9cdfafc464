/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters of languages that the child has found in files. Tells the BPF program how to
 * find the functions that they run, and the epoch which files they are.
 *
 * The program knows an interpreter by a number, of which there are MAX_INTERPRETERS. Users share
 * them, by the owners of the files (record/shares/shares.h): whoever owns most of them loses one
 * that is sampled least, and gets it back when samples want it and there is room.
 */
#ifndef RECORD_UNWIND_INTERPRETER_MAPS_H
#define RECORD_UNWIND_INTERPRETER_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/vec.h"
#include "record/languages/files/found_interpreter.h"
#include "record/process/mapped_files.h"
#include "record/machines/process_machine.h"
#include "record/shares/shares.h"

/* A file with an interpreter. */
struct interpreter_of_file {
	struct build_id build_id;
	struct file_identity identity; /* all zero where the build-id alone is known */
	struct interpreter_file key;   /* by which the program knows its executable; 0: not known */
	uint32_t owner;                /* user id of the file's owner */
	uint32_t number;               /* by which the program knows it, + 1; 0: by none */
	bool is_there;                 /* false: the entry is free */
	bool is_walked;                /* the program can and need walk it */
	bool was_tried;                /* to get a number, since the last settle */
	struct found_interpreter found;
	struct machine_notes machines; /* of the processes that have it */
};

enum interpreter_number { NUMBER_FREE, NUMBER_TAKEN, NUMBER_LEFT /* free from the settle on */ };

/* All zero but the descriptors, the looker and the size of the shares: there are none. */
struct interpreter_maps {
	VEC(struct interpreter_of_file) files;
	struct shares shares; /* of the numbers; items are files */
	enum interpreter_number numbers[MAX_INTERPRETERS];
	uint32_t languages; /* that the user wants, one bit 1 << enum language each */
	int interpreters;   /* maps of bpf/languages/interpreters.h; the sampler's */
	int executables;
	struct machines machines;
	/* Called when the program knows @interpreter by another number, or by none. */
	void (*renumbered)(void *ctx, uint32_t interpreter);
	void *ctx;
};

/* The file of an interpreter. Device, as makedev, and inode are 0 where they are not known. */
struct interpreter_place {
	const struct build_id *build_id;
	const struct file_identity *identity;
	uint64_t dev, ino;
	uint32_t owner;
};

/*
 * Numbers that users have. The others are for the time in which a program may read what was left.
 */
#define INTERPRETER_NUMBERS (MAX_INTERPRETERS - MAX_INTERPRETERS / 8)

/*
 * Adds the interpreter of a file, and tells the program of it if there is room and if it can and
 * need walk it. *@interpreter is its number among the files + 1. Returns 0 or -ENOMEM.
 */
int interpreter_maps_add(struct interpreter_maps *maps, const struct found_interpreter *found,
			 const struct interpreter_place *place, uint32_t *interpreter);

/* The file is forgotten, which nobody maps. @interpreter is from interpreter_maps_add. */
void interpreter_maps_forget(struct interpreter_maps *maps, uint32_t interpreter);

/* By what the program knows the interpreter, as in struct unwind_space. */
uint32_t interpreter_maps_number(const struct interpreter_maps *maps, uint32_t interpreter);

/* The interpreter that the program knows by @number, or NULL. */
const struct interpreter *interpreter_maps_numbered(const struct interpreter_maps *maps,
						    uint32_t number);

/* A process that has the interpreter had @nr samples more. */
void interpreter_maps_sampled(struct interpreter_maps *maps, uint32_t interpreter, uint64_t nr);

/* Are so few numbers free that a settle should come soon? */
bool interpreter_maps_is_short(const struct interpreter_maps *maps);

/* Call it after a grace period. */
void interpreter_maps_settle(struct interpreter_maps *maps);

/*
 * Is interpreter @nr (0: none) to take the place of @old? One that has functions is better than one
 * that has rules for made code alone, and one that the program cannot walk is none.
 */
bool interpreter_maps_is_better(const struct interpreter_maps *maps, uint32_t nr, uint32_t old);

/* The interpreter that @file is, or NULL. */
const struct interpreter_of_file *interpreter_maps_find(const struct interpreter_maps *maps,
							const struct mapped_file *file);

void interpreter_maps_deinit(struct interpreter_maps *maps);

#endif
