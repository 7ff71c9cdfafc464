/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The denominators of a comparison. A count alone means nothing if the recordings have different
 * lengths, frequencies or loads.
 */
#ifndef REPORT_COMPARE_DENOMINATORS_H
#define REPORT_COMPARE_DENOMINATORS_H

#include "report/model/recording.h"
#include "report/statistics/observations.h"

enum denominator {
	PER_SAMPLES = 0, /* the share of all samples */
	PER_CPU,         /* CPU seconds in each second of the recording */
	PER_WORK,        /* CPU seconds for each unit of the user's work */
};

/* Turns the counts of one recording into observations. */
struct denominators {
	double samples; /* for a count */
	double total;   /* all samples */
	double units;   /* the denominator, in samples or in samples for each CPU second */
	bool is_share;  /* the denominator is all samples */
	double trials;  /* samples that there could have been; 0: not known */
};

/*
 * Computes the denominators of event @event of @rec. @work is the number of units of work with
 * PER_WORK. Returns 0, or -EINVAL with @err set if the recording has no samples, or if its counts
 * are no CPU time.
 */
int denominators_make(struct denominators *denominators, const struct recording *rec,
		      uint32_t event, enum denominator per, double work, struct err *err);

/* Returns what a recording with @count of something knows of it. */
static inline struct observation denominators_observe(const struct denominators *denominators,
						      uint64_t count)
{
	return (struct observation){count * denominators->samples, denominators->units,
				    denominators->trials};
}

#endif
