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
#include "record/looks/mapped_file.h"
#include "record/shares/memory_budget.h"

struct mapped_files {
	VEC(struct mapped_file) files;
	struct index by_key;
	size_t swept_nr;              /* files left by the last sweep */
	struct memory_budget *memory; /* NULL: nobody counts */
	struct looker *looker; /* borrowed; NULL: mapped_files_look looks itself, and may block */
};

/* How a file is described when it is met. */
struct mapped_file_key {
	const char *path;                /* raw: may end in " (deleted)" */
	const struct build_id *build_id; /* NULL or none: not known */
	struct file_identity identity;   /* counts only without a build-id */
};

/* Finds or adds a file; *@index is valid until the next sweep. Returns 0 or -ENOMEM. */
int mapped_files_get(struct mapped_files *files, const struct mapped_file_key *key,
		     uint32_t *index);

/* As mapped_files_get. If the file is new, @found_id is the build-id that it has. */
int mapped_files_add(struct mapped_files *files, const struct mapped_file_key *key,
		     const struct build_id *found_id, uint32_t *index);

/*
 * As mapped_files_get, for a file that @place maps. If the kernel gave no build-id, has the
 * file looked at, so that a file that has changed is a new one. Finds its build-id, too.
 */
int mapped_files_look(struct mapped_files *files, const struct mapped_file_key *key,
		      const struct file_place *place, uint32_t *index);

/* May @a and @b describe one file, which two sources told of, each in its own way? */
bool mapped_files_are_same(const struct mapped_file *a, const struct mapped_file *b);

/* Has enough been added since the last sweep to make another one worthwhile? */
bool mapped_files_want_sweep(const struct mapped_files *files);

/*
 * Forgets all files whose entry in @used is false. Afterwards files[i] has moved to @moved[i].
 */
void mapped_files_sweep(struct mapped_files *files, const bool *used, uint32_t *moved);

/* Afterwards the table is empty and can be used again, with the same looker. */
void mapped_files_deinit(struct mapped_files *files);

#endif
