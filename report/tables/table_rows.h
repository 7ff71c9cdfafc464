/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of all tables but samples, as recordings bring them, one after the other. */
#ifndef REPORT_TABLES_TABLE_ROWS_H
#define REPORT_TABLES_TABLE_ROWS_H

#include "report/model/recording.h"
#include "report/demangle/demangler.h"
#include "report/tables/recording_tables.h"

enum table {
	TABLE_RECORDINGS,
	TABLE_SAMPLES,
	TABLE_STACKS,
	TABLE_FRAMES,
	TABLE_SYMBOLS,
	NR_TABLES,
};

/* The names of their files. */
extern const char *const table_files[NR_TABLES];

/* table_rows_init makes them. */
struct table_rows {
	struct known_ids known;
	struct recording_tables rest;       /* frames whose names another recording may have */
	struct id_set kept;                 /* symbols and frames of the rest, by id */
	struct packed_rows rows[NR_TABLES]; /* samples have none */
	struct demangler_account demangling;
	const int *fds;
};

/* Makes them; they are written to @fds. Returns 0 or -ENOMEM. */
int table_rows_init(struct table_rows *rows, const int *fds);

void table_rows_deinit(struct table_rows *rows);

/*
 * Takes all that waits in @tables. Returns 0 or a negative errno; *@table is the one that could not
 * be written.
 */
int table_rows_take(struct table_rows *rows, struct recording_tables *tables, enum table *table);

/* Adds the rows of the recording itself, which was read. Returns 0 or -ENOMEM. */
int table_rows_add_recording(struct table_rows *rows, const struct recording *rec,
			     const struct recording_tables *tables);

/* Writes the rest. Returns like table_rows_take. */
int table_rows_end(struct table_rows *rows, enum table *table);

#endif
