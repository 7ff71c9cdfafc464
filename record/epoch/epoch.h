/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The epoch under construction. Drained counts become rows, their raw addresses become frames
 * relative to mapped objects, and everything is held once. When the epoch is old or large enough,
 * the writer gets it as a whole, and it is emptied.
 */
#ifndef RECORD_EPOCH_EPOCH_H
#define RECORD_EPOCH_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "format/prof.h"
#include "record/epoch/epoch_sources.h"
#include "record/epoch/raw_count.h"

struct epoch;

/* The objects that @sources points to must outlive the epoch. Returns 0 or -ENOMEM. */
int epoch_create(const struct epoch_sources *sources, struct epoch **epoch);

void epoch_destroy(struct epoch *epoch);

/*
 * The counts of another drain come. First the caller hands each count to epoch_prepare. That reads
 * processes whose mappings are missing from /proc again, each once in a drain. Then the caller adds
 * the counts.
 */
void epoch_begin_drain(struct epoch *epoch);

/* Both need address spaces that are known up to the time of the count. They return 0 or -ENOMEM. */
int epoch_prepare(struct epoch *epoch, const struct raw_count *count);
int epoch_add(struct epoch *epoch, const struct raw_count *count);

/*
 * Another recording begins, to which no row of the epoch belongs yet. The sums of its events begin
 * at 0.
 */
void epoch_begin_recording(struct epoch *epoch);

/*
 * How many counts of the recording are cut or missing, for each of MAX_EVENTS events, because a sum
 * would have exceeded 64 bits.
 */
const uint64_t *epoch_overflows(const struct epoch *epoch);

/*
 * From now on the epoch keeps counts also by slices of @slice_ns. Slice 0 begins at @begin_ns
 * (CLOCK_MONOTONIC).
 */
void epoch_begin_slices(struct epoch *epoch, uint64_t begin_ns, uint64_t slice_ns);

/* Is it so large that it should be written? */
bool epoch_is_large(const struct epoch *epoch);

/* Number of rows. */
size_t epoch_nr_counts(const struct epoch *epoch);

/*
 * Asks for the names of functions in mapped files that frames of the epoch need. From @urgent_ns
 * (CLOCK_MONOTONIC) on, somebody waits for them. Returns 0 or -ENOMEM.
 */
int epoch_ask_names(struct epoch *epoch, uint64_t urgent_ns);

/* Do names lack that an epoch needs which was written before? Then this one is to bring them. */
bool epoch_owes_names(const struct epoch *epoch);

/* No epoch of the recording follows. Counts the files whose names are still owed. */
void epoch_end_recording(struct epoch *epoch);

/*
 * The tables of an epoch from @begin_ns to @end_ns (CLOCK_MONOTONIC), valid until the next change.
 * Returns 0 or -ENOMEM.
 */
int epoch_finish(struct epoch *epoch, uint64_t begin_ns, uint64_t end_ns,
		 struct prof_epoch *tables);

/* Empties it for the next one. Returns 0 or -ENOMEM. */
int epoch_reset(struct epoch *epoch);

#endif
