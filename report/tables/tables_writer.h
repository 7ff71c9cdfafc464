/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes recordings as the tables of a database. Two threads read recordings side by side, and each
 * recording enters the tables when its turn has come. So the tables depend on the recordings and
 * their order alone. Memory does not grow with their number, but for the ids of stacks and frames,
 * for which there is room up to a limit. Beyond it a stack or a frame may be in a table twice.
 */
#ifndef REPORT_TABLES_TABLES_WRITER_H
#define REPORT_TABLES_TABLES_WRITER_H

#include "report/model/recording.h"
#include "report/tables/table_rows.h"

struct tables_request {
	const char *const *names; /* of recordings */
	size_t nr;
	uint64_t slice_ns; /* rows of samples have times of at least this length */
	const int *fds;    /* by table, to write to */
	/*
	 * Gets each recording after it was read, one at a time and in order. One that was left out
	 * is a gap.
	 */
	void (*done)(void *ctx, const struct recording *rec);
	void *ctx;
};

/* Returns 0, or a negative errno with @err set: -ENODATA if no recording can be read. */
int tables_write(const struct tables_request *request, struct err *err);

#endif
