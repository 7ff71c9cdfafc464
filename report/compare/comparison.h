/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts on the things of a tally: which of them changed from the recordings before to those
 * after. Tables, JSON and pictures show these verdicts.
 */
#ifndef REPORT_COMPARE_COMPARISON_H
#define REPORT_COMPARE_COMPARISON_H

#include "report/compare/denominators.h"
#include "report/compare/tally.h"
#include "report/statistics/change.h"

/* At most this part of the found changes is false. */
#define COMPARISON_FALSE_RATE 0.05

/* A change that moves less than this part of the whole is of no interest to anybody. */
#define COMPARISON_MOVE_MIN 0.001

enum verdict {
	VERDICT_CHANGED,
	VERDICT_NOT_DISTINGUISHABLE,
	VERDICT_TOO_FEW_RECORDINGS,
};

/* One thing that was compared. */
struct compared {
	uint32_t key; /* in the tally */
	enum verdict verdict;
	bool is_beside; /* in the stacks of the functions that the user chose, but none of them */
	uint64_t counts[2]; /* before, after */
	struct change change;
	double moved;   /* after minus before, as a part of the whole before */
	double visible; /* the smallest relative change that would have been seen; NaN: not known */
};

/* The recordings of a tally: the first nr[0] are those before, the next nr[1] those after. */
struct compared_recordings {
	size_t nr[2];
	const struct denominators *denominators; /* of each recording */
	bool is_paired;
};

/* comparison_make makes it. */
struct comparison {
	size_t nr[2];
	VEC(struct compared) items; /* what changed first, what is to blame before its callers */
	VEC(uint32_t) by_key;       /* place in items + 1; 0: nothing was counted */
	double level;               /* a p-value up to this counts as a change */
};

/*
 * Compares all things of @tally. Returns 0 or -ENOMEM. Call comparison_deinit in both cases.
 */
int comparison_make(struct comparison *comparison, const struct tally *tally,
		    const struct compared_recordings *recordings);

void comparison_deinit(struct comparison *comparison);

/* Returns the verdict on @key of the tally, NULL if no recording has counts of it. */
const struct compared *comparison_find(const struct comparison *comparison, uint32_t key);

/* Returns true if the recordings are many enough for verdicts. */
static inline bool comparison_has_verdicts(const struct comparison *comparison)
{
	return comparison->nr[0] >= CHANGE_RECORDINGS_MIN &&
	       comparison->nr[1] >= CHANGE_RECORDINGS_MIN;
}

/* Returns true if each side has one recording only: intervals are within these recordings. */
static inline bool comparison_is_within(const struct comparison *comparison)
{
	return comparison->nr[0] == 1 && comparison->nr[1] == 1;
}

/* Returns true if nothing of the kind was in the recordings before. */
static inline bool compared_has_appeared(const struct compared *compared)
{
	return !compared->counts[0];
}

static inline bool compared_has_vanished(const struct compared *compared)
{
	return !compared->counts[1];
}

#endif
