/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file (or another thing) that is mapped executable somewhere, and looks at it. Such a file
 * belongs to another process, so the looker does the looks (record/looks/looker.h).
 */
#ifndef RECORD_LOOKS_MAPPED_FILE_H
#define RECORD_LOOKS_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buildid.h"
#include "record/looks/file_identity.h"
#include "record/looks/looker.h"

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

static inline const struct build_id *mapped_file_build_id(const struct mapped_file *file)
{
	return build_id_is_none(&file->given_id) ? &file->found_id : &file->given_id;
}

/* The kind of a mapping whose path the kernel gives as @path. */
enum mapped_kind mapped_file_kind(const char *path);

/* Is it memory that processes may share, and that no file has (MAP_SHARED | MAP_ANONYMOUS)? */
bool mapped_file_is_shared_memory(const struct mapped_file *file);

/*
 * Can @file hold code that the process makes itself? That is in anonymous memory, or in an unnamed
 * file that is mapped twice, to write here and run there.
 */
bool mapped_file_is_made_code(const struct mapped_file *file);

/* Bytes of @path, which is of @kind, without " (deleted)". *@deleted: has it been there? */
size_t mapped_file_path_bytes(enum mapped_kind kind, const char *path, bool *deleted);

/*
 * In the looker: looks at @file, which @place maps and for which the kernel gave no build-id. Sets
 * identity and found_id as far as it can. Looks of one number look once at a file.
 */
void mapped_file_look(struct look *look, uint32_t number, struct mapped_file *file,
		      const struct file_place *place);

/* Has the looker do mapped_file_look, with a number of its own. @looker may be NULL. */
void mapped_file_ask(struct looker *looker, struct mapped_file *file,
		     const struct file_place *place);

/*
 * In the looker: opens @file, which @place maps, for reading, if that is still possible. A file
 * without a build-id must not have changed. Returns the descriptor or a negative errno. @look may
 * be NULL.
 */
int mapped_file_open(struct look *look, const struct mapped_file *file,
		     const struct file_place *place);

/* A question about a file. @number is the asker's own. */
struct file_question {
	char bytes[LOOK_QUESTION_MAX];
	size_t nr;
};

/* Returns false if the path is too long for a question. */
bool file_question_put(struct file_question *question, uint32_t number,
		       const struct mapped_file *file, const struct file_place *place);

/* In the looker. file->path points into the question. Returns 0 or -EBADMSG. */
int file_question_get(const struct look *look, uint32_t *number, struct mapped_file *file,
		      struct file_place *place);

#endif
