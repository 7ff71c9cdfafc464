/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files (and other things) that are mapped executable somewhere, each held once however many
 * processes map it. Mappings refer to them by index.
 */
#ifndef RECORD_PROCESS_MAPPED_FILES_H
#define RECORD_PROCESS_MAPPED_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/process/file_identity.h"

enum mapped_kind {
	MAPPED_FILE,
	MAPPED_ANON, /* no file: JIT code, [heap], [stack], ... */
	MAPPED_VDSO,
};

struct mapped_file {
	char *path; /* as the process saw it, without " (deleted)" */
	enum mapped_kind kind;
	bool deleted;
	/* A file is known by the build-id that the kernel gave, or else by its identity. */
	struct build_id given_id;
	struct file_identity identity; /* all zero if the kernel gave a build-id */
	struct build_id found_id;      /* read from the file where the kernel gave none */
};

struct mapped_files {
	VEC(struct mapped_file) files;
	struct index by_key;
	size_t swept_nr; /* files left by the last sweep */
};

/* How a file is described when it is met. */
struct mapped_file_key {
	const char *path;                /* raw: may end in " (deleted)" */
	const struct build_id *build_id; /* NULL or none: not known */
	struct file_identity identity;   /* counts only without a build-id */
};

static inline const struct build_id *mapped_file_build_id(const struct mapped_file *file)
{
	return build_id_is_none(&file->given_id) ? &file->found_id : &file->given_id;
}

/* Finds or adds a file; *@index is valid until the next sweep. Returns 0 or -ENOMEM. */
int mapped_files_get(struct mapped_files *files, const struct mapped_file_key *key,
		     uint32_t *index);

/*
 * As mapped_files_get, for a file that @place maps. If the kernel gave no build-id, looks at the
 * file, so that a file that has changed is a new one. Reads the build-id of a new file.
 */
int mapped_files_look(struct mapped_files *files, const struct mapped_file_key *key,
		      const struct file_place *place, uint32_t *index);

/* May @a and @b describe one file, which two sources told of, each in its own way? */
bool mapped_files_are_same(const struct mapped_file *a, const struct mapped_file *b);

/*
 * Opens @file, which @pid maps at [start, end), for reading, if that is still possible. A file
 * without a build-id must not have changed. Returns the descriptor or -1.
 */
int mapped_file_open(const struct mapped_file *file, uint32_t pid, uint64_t start, uint64_t end);

/* Is there so much more than after the last sweep that another one is worth it? */
bool mapped_files_want_sweep(const struct mapped_files *files);

/*
 * Forgets all files whose entry in @used is false. Afterwards files[i] has moved to @moved[i].
 */
void mapped_files_sweep(struct mapped_files *files, const bool *used, uint32_t *moved);

/* Afterwards the table is empty and can be used again. */
void mapped_files_deinit(struct mapped_files *files);

#endif
