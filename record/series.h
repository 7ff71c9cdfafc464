/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings that a run writes, one after the other: each has its description, its epochs, its
 * end record with the totals of its own span, and its place.
 */
#ifndef RECORD_SERIES_H
#define RECORD_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "format/writer.h"
#include "record/outfile.h"
#include "record/session.h"

struct series {
	struct session *session;
	struct err *err;
	bool is_pattern;      /* the name is made anew for each recording */
	VEC(char *) finished; /* names of those that were, oldest first; with --rotate-keep */
	uint64_t nr;          /* recordings that were begun */
	/* The recording at hand: */
	struct outfile out;
	struct prof_writer *writer;
	uint64_t start_ns;     /* CLOCK_MONOTONIC */
	uint64_t nr_stacks;    /* rows written */
	uint64_t samples;      /* in them */
	uint64_t lost_records; /* of the side-band, before this recording */
};

/* How a recording ends. */
struct series_end {
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	enum prof_end_reason reason;
};

/*
 * Opens the place of the first recording; nothing is written yet. @session is kept and its @err
 * used. Returns 0 or a negative errno; series_close is due in any case.
 */
int series_open(struct series *series, struct session *session);

/*
 * Begins the recording at @start_ns (CLOCK_MONOTONIC): writes its description. It is to last
 * @planned_s, 0: until somebody ends it.
 */
int series_begin(struct series *series, uint64_t start_ns, uint64_t planned_s);

/* Writes an epoch; its times are CLOCK_MONOTONIC and become relative to the start. */
int series_write_epoch(struct series *series, struct prof_epoch *epoch);

/*
 * Ends the recording: all that was sampled must have been drained and written. It is in its place
 * then, and the closing line was printed unless the options ask for quiet.
 */
int series_end(struct series *series, const struct series_end *how);

/* Ends the recording at @at_ns as series_end does, and begins the next one in another file. */
int series_rotate(struct series *series, uint64_t at_ns, uint64_t planned_s);

/*
 * With the privileges in effect: may this recording and those after it be created and get their
 * names? A directory that is yet to come may be anybody's.
 */
bool series_may_create(const struct series *series);

/* Bytes of the recording so far. */
uint64_t series_bytes(const struct series *series);

/* Releases what is open; with @keep_part the unfinished file stays. */
void series_close(struct series *series, bool keep_part);

#endif
