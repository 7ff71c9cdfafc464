/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions in the mapped files, for the addresses that samples hit. A child looks them up
 * (record/symbols/names_worker.h). It gets each file while a process maps it, because nobody else
 * may have the file later. A file is one inode; record/symbols/file_sources.h says which inode the
 * names of a path and a build-id come from.
 *
 * The profiled processes choose the files, so the child's CPU time has a budget.
 */
#ifndef RECORD_SYMBOLS_FILE_NAMES_H
#define RECORD_SYMBOLS_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/looks/mapped_file.h"

struct file_names;
struct known_symbol;
struct shares;

/* The number of no file. */
#define FILE_NAMES_NONE UINT32_MAX

/* A symbol of a file. Without a name, it has the bounds of a function. */
struct file_symbol {
	uint64_t off, size;         /* file offset */
	const char *name;           /* empty: not known */
	uint8_t parts;              /* of the file, that it has names from: enum name_part */
	bool is_written;            /* noted as written in this recording */
	struct known_symbol *known; /* for file_names_note_written */
};

/*
 * Starts the child. Call it early, since the child is a copy of the caller. @looker opens the files
 * and must outlive @names. Returns 0 or a negative errno with @err set.
 */
int file_names_create(struct looker *looker, struct file_names **names, struct err *err);

/*
 * Gives @file, which @place maps, to the child, unless the child has it. *@nr is the number, until
 * the next settle, of the file that has its names, or FILE_NAMES_NONE. Returns 0 or -ENOMEM. If the
 * file cannot be opened, that is no error.
 */
int file_names_hold(struct file_names *names, const struct mapped_file *file,
		    const struct file_place *place, uint32_t *nr);

/*
 * The identity of file @nr, by which its names must be told from those of other files with its path
 * and build-id; NULL if they are those of a file of root. Valid until the next hold.
 */
const struct file_identity *file_names_identity(const struct file_names *names, uint32_t nr);

/* The user who pays for file @nr: one of those whose processes map it, or its owner for root's. */
uint32_t file_names_payer(const struct file_names *names, uint32_t nr);

/* Names of file @nr are left out of the recording. */
void file_names_note_unserved(struct file_names *names, uint32_t nr);

/*
 * Asks for the symbols of file @nr that cover the @nr_offsets file offsets, which are sorted,
 * unless an earlier question about the file has no answer yet. From @urgent_ns (CLOCK_MONOTONIC) on
 * somebody waits for them. The child begins at the next file_names_work, so that all users who ask
 * can take turns. The number stays valid until the settle after the next. Returns 0 or -ENOMEM.
 */
int file_names_ask(struct file_names *names, uint32_t nr, const uint64_t *offsets,
		   size_t nr_offsets, uint64_t urgent_ns);

/* A descriptor that polls readable when file_names_work has something to do. */
int file_names_fd(const struct file_names *names);

/*
 * Takes over the answers that are there, and has the child go on. NULL is fine. Returns 0 or
 * -ENOMEM.
 */
int file_names_work(struct file_names *names);

/* Are there questions without an answer? */
bool file_names_is_waiting(const struct file_names *names);

enum file_names_state {
	FILE_NAMES_KNOWN,      /* file_names_find says what covers the offset, if anything does */
	FILE_NAMES_EXPECTED,   /* an answer may come, perhaps to a later question */
	FILE_NAMES_LEFT_OUT,   /* the file was lost, or it would take too much time */
	FILE_NAMES_UNREADABLE, /* the file has none, or it is not what it was when it was mapped */
};

/* What is there about @off of file @nr? */
enum file_names_state file_names_state(const struct file_names *names, uint32_t nr, uint64_t off);

/*
 * Finds the symbol that covers @off of file @nr. It is valid until the next call of another
 * function. Returns false if there is none, or if there is no answer about @off.
 */
bool file_names_find(const struct file_names *names, uint32_t nr, uint64_t off,
		     struct file_symbol *symbol);

/* The recording has the symbol, which is from file_names_find, from now on. */
void file_names_note_written(const struct file_names *names, const struct file_symbol *symbol);

/* Another recording begins, which has no symbols yet. */
void file_names_begin_recording(struct file_names *names);

/*
 * Call it after an epoch was written: forgets files that neither this epoch nor the one before
 * used. NULL is fine. Returns 0 or -ENOMEM.
 */
int file_names_settle(struct file_names *names);

/*
 * Counts, by payer, how often names of a file were left out: to save CPU time, memory or room in
 * the recording, or since no answer came in time. NULL for NULL.
 */
const struct shares *file_names_unserved(const struct file_names *names);

/* NULL is fine. */
void file_names_destroy(struct file_names *names);

#endif
