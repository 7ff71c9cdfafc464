/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes several recordings as one. The first pass reads the descriptions, because that of the
 * result comes first. The second pass reads the recordings in batches, which bounds the memory:
 * stacks of a batch are merged in the file, and those of all when somebody reads it.
 */
#ifndef REPORT_WRITE_MERGER_H
#define REPORT_WRITE_MERGER_H

#include "format/writer.h"
#include "report/model/recording.h"
#include "report/text/textbuf.h"

/* The place of a model in the file. */
struct merged_span {
	uint64_t begin_ns, end_ns;
	uint32_t last_number; /* of the processes and objects so far */
};

/* merger_begin makes it. */
struct merger {
	struct prof_writer *writer;
	struct recording first; /* whose description stands for all; only opened */
	struct prof_end end;
	VEC(struct prof_event_end) events;
	struct merged_span span;
};

/*
 * Reads the descriptions of the @nr recordings @names, which the caller keeps, and writes that of
 * the result to @out, which is borrowed. Recordings that cannot be opened do not count. Returns 0
 * or a negative errno with @err set: -EINVAL if counts do not add up, -ENODATA if no recording can
 * be opened. Call merger_deinit in all cases.
 */
int merger_begin(struct merger *merger, const char *const *names, size_t nr, struct textbuf *out,
		 struct err *err);

/* Writes the rows of @batch, which recordings_join has made. Returns like merger_begin. */
int merger_add(struct merger *merger, const struct recording *batch, struct err *err);

/* Ends the result with the sums of all. Returns like merger_begin. */
int merger_end(struct merger *merger, struct err *err);

void merger_deinit(struct merger *merger);

/*
 * Writes a single recording, which is open, as it is. What damage left is written without an end.
 * Returns 0 or a negative errno with @err set.
 */
int merger_copy(struct recording *rec, struct textbuf *out, struct err *err);

#endif
