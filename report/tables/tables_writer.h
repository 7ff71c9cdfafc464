/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes recordings as the tables of a database. Two threads read recordings side by side, and each
 * recording enters the tables when its turn has come. So the rows depend on the recordings and
 * their order alone. A recording that is too large to wait is written in parts, whose bounds depend
 * on the threads. Then bytes and the order of rows can differ from run to run. Memory does not grow
 * with the number of recordings, but for ids, symbols and frames that wait, all up to a limit.
 * Beyond it a row may be in a table twice, and a frame may lack a name that another recording has.
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
