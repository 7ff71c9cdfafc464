/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings that a run writes, one after the other: each has its description, its epochs, its
 * end record with the totals of its own span, and its place.
 */
#ifndef RECORD_OUTPUT_RECORDINGS_H
#define RECORD_OUTPUT_RECORDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "format/writer.h"
#include "record/output/outfile.h"
#include "record/session.h"

struct recordings {
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
struct recordings_end {
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	enum prof_end_reason reason;
};

/*
 * Opens the place of the first recording; nothing is written yet. @session is kept and its @err
 * used. Returns 0 or a negative errno; recordings_close is due in any case.
 */
int recordings_open(struct recordings *recordings, struct session *session);

/*
 * Begins the recording at @start_ns (CLOCK_MONOTONIC): writes its description. It is to last
 * @planned_s, 0: until somebody ends it.
 */
int recordings_begin(struct recordings *recordings, uint64_t start_ns, uint64_t planned_s);

/* Writes an epoch; its times are CLOCK_MONOTONIC and become relative to the start. */
int recordings_write_epoch(struct recordings *recordings, struct prof_epoch *epoch);

/*
 * Ends the recording: all that was sampled must have been drained and written. It is in its place
 * then, and the closing line was printed unless the options ask for quiet.
 */
int recordings_end(struct recordings *recordings, const struct recordings_end *how);

/* Ends the recording at @at_ns as recordings_end does, and begins the next one in another file. */
int recordings_rotate(struct recordings *recordings, uint64_t at_ns, uint64_t planned_s);

/*
 * With the privileges in effect: may this recording and those after it be created and get their
 * names? A directory that is yet to come may be anybody's.
 */
bool recordings_may_create(const struct recordings *recordings);

/* Bytes of the recording so far. */
uint64_t recordings_bytes(const struct recordings *recordings);

/* Releases what is open; with @keep_part the unfinished file stays. */
void recordings_close(struct recordings *recordings, bool keep_part);

#endif
