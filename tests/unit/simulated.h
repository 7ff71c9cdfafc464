/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated recordings of one function, for tests of the statistics. Two kinds of noise vary a
 * count: a run has a share of its own, and samples hit the function or miss it.
 */
#ifndef TESTS_SIMULATED_H
#define TESTS_SIMULATED_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "report/statistics/change.h"

#define SIMULATED_MAX 256

/* A function and its noise. */
struct simulated {
	double share;    /* of all samples, before the change */
	double samples;  /* of a recording */
	double run;      /* standard deviation between runs, of the logarithm */
	double relative; /* the planted change */
	size_t nr;       /* recordings on each side */
};

struct simulated_sides {
	struct observation items[2][SIMULATED_MAX];
	struct observations before, after;
};

static inline gsl_rng *simulated_begin(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	return rng;
}

static inline struct observation simulated_recording(gsl_rng *rng, const struct simulated *s,
						     double share)
{
	double p = fmin(share * exp(gsl_ran_gaussian(rng, s->run)), 1);

	return (struct observation){
		.count = gsl_ran_binomial(rng, p, s->samples),
		.units = s->samples,
		.trials = s->samples,
	};
}

static inline void simulated_draw(gsl_rng *rng, const struct simulated *s,
				  struct simulated_sides *sides)
{
	for (size_t i = 0; i < s->nr; i++) {
		sides->items[0][i] = simulated_recording(rng, s, s->share);
		sides->items[1][i] = simulated_recording(rng, s, s->share * (1 + s->relative));
	}
	sides->before = (struct observations){sides->items[0], s->nr};
	sides->after = (struct observations){sides->items[1], s->nr};
}

#endif
