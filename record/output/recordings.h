/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings that a run writes, one after the other. Each recording has a description, epochs,
 * an end record with the totals of its own time, and a file of its own.
 */
#ifndef RECORD_OUTPUT_RECORDINGS_H
#define RECORD_OUTPUT_RECORDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vec.h"
#include "format/runtime_stacks.h"
#include "format/writer.h"
#include "record/output/outfile.h"
#include "record/output/rotation.h"

struct recordings {
	const char *output; /* name, pattern of names, or "-"; borrowed */
	struct rotation rotation;
	struct err *err;
	bool is_pattern;      /* each recording gets a name of its own */
	VEC(char *) finished; /* names of finished recordings, oldest first; with --rotate-keep */
	/* The recording at hand: */
	struct outfile out;
	struct prof_writer *writer;
	uint64_t start_ns;               /* CLOCK_MONOTONIC */
	uint64_t nr_stacks;              /* rows written */
	uint64_t sums[PROF_MAX_EVENTS];  /* of the counts of each event in these rows */
	struct runtimes_stacks runtimes; /* of these rows */
};

/*
 * Opens the file of the first recording, and writes nothing yet. @output and @err must outlive
 * @recordings, and all errors are worded into @err. Returns 0 or a negative errno. The caller calls
 * recordings_close in either case.
 */
int recordings_open(struct recordings *recordings, const char *output,
		    const struct rotation *rotation, struct err *err);

/* Writes the description of the recording. Returns 0 or a negative errno. */
int recordings_begin(struct recordings *recordings, const struct prof_meta *meta);

/*
 * Writes an epoch. Its times are CLOCK_MONOTONIC, and this function makes them relative to the
 * start of the recording. Returns 0 or a negative errno.
 */
int recordings_write_epoch(struct recordings *recordings, struct prof_epoch *epoch);

/*
 * Writes the end record, and gives the file its name. The caller has drained and written all
 * samples. Returns 0 or a negative errno.
 */
int recordings_end(struct recordings *recordings, const struct prof_end *end);

/*
 * Call it after recordings_end, before the next recordings_open_next. Removes the oldest finished
 * recording of this run when the user wants to keep fewer. A file that cannot be removed stays, and
 * @warning says so; else its text is "". Returns 0 or -ENOMEM.
 */
int recordings_remove_old(struct recordings *recordings, struct err *warning);

/* Closes the finished recording and opens the file of the next one. As recordings_open. */
int recordings_open_next(struct recordings *recordings);

/*
 * With the privileges in effect: may this process create and rename the files of this and all later
 * recordings? The answer is no if a pattern makes names of directories, since nobody knows who will
 * own the next one.
 */
bool recordings_may_create(const struct recordings *recordings);

/* Bytes of the recording at hand so far. */
uint64_t recordings_bytes(const struct recordings *recordings);

/* Is the recording at hand as large as --rotate allows? */
bool recordings_is_full(const struct recordings *recordings);

/* The name of the recording at hand, "-" for standard output. Valid until the next call. */
const char *recordings_name(const struct recordings *recordings);

/* Releases everything. With @keep_part the unfinished file stays. */
void recordings_close(struct recordings *recordings, bool keep_part);

#endif
