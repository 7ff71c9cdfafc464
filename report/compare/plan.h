/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan of recordings: how many of them a comparison needs, and how long they have to be. Pilot
 * recordings of one program in one state tell how much recordings differ by themselves.
 */
#ifndef REPORT_COMPARE_PLAN_H
#define REPORT_COMPARE_PLAN_H

#include "report/compare/compared_sources.h"

/* Recordings of the pilots' length, of twice that, four times and eight times. */
#define PLAN_LENGTHS 4

/* One thing of the pilots. */
struct planned {
	uint32_t key;                  /* in the tally */
	uint64_t count;                /* of all pilots */
	double rate;                   /* count by unit */
	double noise;                  /* standard deviation between recordings, relative */
	uint32_t needed[PLAN_LENGTHS]; /* recordings on each side; 0: no number suffices */
};

/* plan_make makes it. */
struct plan {
	double relative;           /* the change to find: 0.05 is 5 % */
	double seconds;            /* the mean length of the pilots */
	VEC(struct planned) items; /* those with enough counts, the largest first */
};

/*
 * Plans comparisons of all things that @counted has in the @nr @pilots. Returns 0 or -ENOMEM. Call
 * plan_deinit in both cases.
 */
int plan_make(struct plan *plan, double relative, const struct compared_sources *counted,
	      const struct source *pilots, size_t nr);

void plan_deinit(struct plan *plan);

#endif
