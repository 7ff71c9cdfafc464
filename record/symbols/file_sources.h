/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which held file the names of a path and a build-id come from. The kernel tells of a mapping by
 * these two, and anybody can have a file that bears the build-id of another one at the path of that
 * one, in a mount namespace. So a file stands only for those who are known to map it, or who would
 * be betrayed by themselves or by root:
 *
 * - a file of root stands for all processes;
 * - a file of another user stands for the processes of that user;
 * - and any file for a process that was seen to map this very inode.
 */
#ifndef RECORD_SYMBOLS_FILE_SOURCES_H
#define RECORD_SYMBOLS_FILE_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/looks/mapped_file.h"

/* Those for whom a file stands: the processes of a user, or one process. */
typedef uint64_t source_scope;

#define SOURCE_OF_ROOT 0ull

/* Processes of which neither the user nor the address space is known. No file stands for them. */
#define SOURCE_OF_ANYBODY UINT64_MAX

static inline source_scope source_of_user(uint32_t uid)
{
	return uid;
}

/* @generation is that of the address space. */
static inline source_scope source_of_process(uint64_t generation)
{
	return 1ull << 63 | generation;
}

#define NO_SOURCE_FILE UINT32_MAX

struct file_source {
	char *path;
	struct build_id build_id;
	source_scope scope;
	uint32_t file;     /* its number in file_names; NO_SOURCE_FILE: none is known */
	uint32_t attempts; /* to open one, since the last settle */
	uint32_t nr_idle;  /* settles in a row that found it unused */
	bool is_used;      /* since the last settle */
};

/* All zero: none. */
struct file_sources {
	VEC(struct file_source) sources;
	struct index by_key;
};

/* The source of the names of @file for @scope, or NULL. Valid until the next get or settle. */
struct file_source *file_sources_find(struct file_sources *sources, const struct mapped_file *file,
				      source_scope scope);

/* As find, but adds one without a file. Returns 0 or -ENOMEM. */
int file_sources_get(struct file_sources *sources, const struct mapped_file *file,
		     source_scope scope, struct file_source **source);

/* File @nr is forgotten, and stands for nobody from now on. */
void file_sources_forget(struct file_sources *sources, uint32_t nr);

/* After an epoch: forgets the sources that two epochs did not use. Returns 0 or -ENOMEM. */
int file_sources_settle(struct file_sources *sources);

void file_sources_deinit(struct file_sources *sources);

#endif
