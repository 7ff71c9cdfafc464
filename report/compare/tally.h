/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of several recordings by the things that a comparison compares: functions, stacks, files
 * or owners. Things are known by their names, since recordings of different builds have nothing
 * else in common.
 *
 * A compiler that splits or copies a function adds a suffix to its name: .cold, .part.0, .isra.0.
 * It does so in one build and not in the next. So such parts count as the function itself.
 */
#ifndef REPORT_COMPARE_TALLY_H
#define REPORT_COMPARE_TALLY_H

#include "common/vec.h"
#include "report/model/recording.h"
#include "report/view/printout.h"
#include "report/text/string_set.h"

/*
 * The counts of one recording by slices of its time: the seconds that the recorder told apart. A
 * recording without them has a slice for each interval, or for each epoch. tally_add makes them if
 * the recording keeps its slots. All zero: there are none.
 */
struct tally_slices {
	size_t nr;
	uint64_t nr_numbers; /* of what the recording tells apart; a slice can have several */
	size_t nr_keys;
	uint64_t *counts; /* [key * nr + slice] */
	uint64_t *totals; /* of each slice */
	double *lengths;  /* of each slice, as a part of all */
};

/* The count of a key in a slice. Keys that only later recordings have count 0. */
static inline uint64_t tally_slices_count(const struct tally_slices *slices, uint32_t key,
					  size_t slice)
{
	return key < slices->nr_keys ? slices->counts[key * slices->nr + slice] : 0;
}

enum tally_by {
	TALLY_FUNCTIONS = 0, /* each stack counts for all functions in it, once */
	TALLY_STACKS,        /* a stack is a line of folded output */
	TALLY_FILES,         /* a stack counts for the file of its leaf */
	TALLY_CGROUPS,       /* a stack counts for the cgroup of its process, and so on */
	TALLY_CONTAINERS,
	TALLY_PODS,
	TALLY_UNITS,
	TALLY_SERVICES,
	NR_TALLY_BY,
};

/* The user's words for them. */
extern const char *const tally_by_words[NR_TALLY_BY + 1];

/* tally_init makes it. */
struct tally {
	enum tally_by by;
	size_t nr_recordings;
	struct string_set keys;      /* the things; key 0 is none */
	VEC(uint64_t) counts;        /* [key * nr_recordings + recording] */
	VEC(uint32_t) counted_rows;  /* by key: the last row that counted */
	uint32_t nr_rows;            /* rows so far, of all recordings */
	struct textbuf text;         /* scratch: the key that is being made */
	const struct printout *from; /* the recording that is being counted */
	size_t recording;            /* its number */
	struct tally_slices *slices; /* of each recording */
	size_t slice;                /* that is being counted; SIZE_MAX: the whole recording */
	uint32_t *frame_keys;        /* [frame * NR_FRAME_PLACES + place]; 0: not made yet */
};

/* Makes a tally of @nr_recordings. Returns 0 or -ENOMEM. */
int tally_init(struct tally *tally, enum tally_by by, size_t nr_recordings);

/* Releases the tally; an all-zero tally is fine. */
void tally_deinit(struct tally *tally);

/*
 * Counts the rows of @p as recording @recording, and by slices if the recording keeps its slots.
 * Adds the stacks that rows lack to @summary. Returns 0, -ENOMEM or -EOVERFLOW.
 */
int tally_add(struct tally *tally, const struct printout *p, size_t recording,
	      struct rows_summary *summary);

static inline uint64_t tally_count(const struct tally *tally, uint32_t key, size_t recording)
{
	return tally->counts.data[key * tally->nr_recordings + recording];
}

/*
 * Looks for the function that a frame with the label @text counts for. Returns true with *@key set
 * if some row counted for it.
 */
bool tally_find_function(const struct tally *tally, const char *text, uint32_t *key);

/*
 * Returns the length of the function's name @text without the suffixes of parts and copies: "f" of
 * "f.cold", "f(int)" of "f(int) [clone .part.0]".
 */
size_t tally_name_length(const char *text, size_t len);

#endif
