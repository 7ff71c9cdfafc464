/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that is read: its description, its end, and what is between, or the part of it that
 * was asked for, merged into a model: all, or an interval after the other.
 */
#ifndef REPORT_MODEL_RECORDING_H
#define REPORT_MODEL_RECORDING_H

#include "common/err.h"
#include "format/reader.h"
#include "report/model/model.h"
#include "report/model/timespan.h"

/* Initialise with recording_load or recording_open; must not move then. */
struct recording {
	const char *name; /* of the file, borrowed */
	struct model model;
	const struct prof_meta *meta; /* the reader's */
	const struct prof_end *end;   /* the reader's; NULL: the recording is incomplete */
	char *defect;                 /* why it is incomplete, as the reader says */
	uint64_t nr_bytes;
	struct selection selection;
	struct prof_reader *reader;
	int fd, owned_fd; /* what is read; what is to be closed, -1: nothing */
};

/*
 * Reads the recording in the file @name, "-" is standard input, or what overlaps @span of it. A
 * recording that was cut short or is damaged behind its description loads as far as it is good: end
 * is NULL then. Returns 0 or a negative errno with @err set.
 */
int recording_load(struct recording *rec, const char *name, const struct timespan *span,
		   struct err *err);

/* Reads the description only; the model is empty. */
int recording_open(struct recording *rec, const char *name, const struct timespan *span,
		   struct err *err);

enum { RECORDING_END = 0, RECORDING_EPOCH = 1 };

/*
 * Reads the next epoch that overlaps the span; it is valid until the next call. RECORDING_END:
 * there is none, and end or defect is set. Reads no further than it has to, so that a stream is
 * followed.
 */
int recording_next(struct recording *rec, const struct prof_epoch **epoch, struct err *err);

/* Adds an epoch to the model; model_finish is due after the last. */
int recording_add(struct recording *rec, const struct prof_epoch *epoch, struct err *err);

/* Empties the model, for what is read next. Returns 0 or -ENOMEM. */
int recording_renew(struct recording *rec);

/* Releases the recording; all zero is fine. */
void recording_deinit(struct recording *rec);

#endif
