/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pprof profile that is being made: samples with their values and labels, on tables that they
 * share. The caller chooses the values and the rows.
 */
#ifndef REPORT_EXPORT_PPROF_PROFILE_H
#define REPORT_EXPORT_PPROF_PROFILE_H

#include "report/export/pprof_tables.h"
#include "report/export/stack_places.h"

#define PPROF_VALUES_MAX 2

/* A sample before the arrays that it points into have their places. */
struct pprof_sample {
	size_t first_location, first_label;
	uint32_t nr_locations, nr_labels;
	int64_t values[PPROF_VALUES_MAX];
};

/* pprof_profile_init makes it. */
struct pprof_profile {
	struct pprof_tables tables;
	VEC(struct pprof_sample) samples;
	struct index sample_index; /* of samples that are added up */
	VEC(uint64_t) location_ids;
	VEC(Pprof__Label) labels;
	VEC(int64_t) comments; /* strings */
	stack_place_vec places;
	VEC(uint64_t) programs; /* by string, the path of an executable: counts of its processes */
	Pprof__ValueType types[PPROF_VALUES_MAX], period_type;
	uint32_t nr_values;
	/* value = count / divisor * factor; divisor 0 is 1 */
	uint64_t factors[PPROF_VALUES_MAX], divisors[PPROF_VALUES_MAX];
	int64_t time_ns, duration_ns, period;
	bool adds_up; /* samples of equal stacks and labels are one */
};

/* Returns 0 or -ENOMEM. */
int pprof_profile_init(struct pprof_profile *profile);

/* An all-zero profile is fine. */
void pprof_profile_deinit(struct pprof_profile *profile);

/*
 * Returns the id of a string of the program itself. If memory runs out, the scratch buffer of the
 * tables notes the error.
 */
int64_t pprof_profile_string(struct pprof_profile *profile, const char *s);

/*
 * Adds a value to each sample: its count times @factor. The last one is also the type of the
 * period, and pprof shows it first.
 */
void pprof_profile_add_type(struct pprof_profile *profile, const char *type, const char *unit,
			    uint64_t factor);

/* Adds the values of an event that is CPU time (event_sample_ns): samples, and nanoseconds. */
void pprof_profile_add_cpu(struct pprof_profile *profile, const struct prof_meta *meta,
			   uint32_t event);

/* Adds a label to the next sample. Returns 0 or -ENOMEM. */
int pprof_profile_add_label(struct pprof_profile *profile, int64_t key, int64_t str, int64_t num);

/* As pprof_profile_add_label, of string @id of the model of @p. */
int pprof_profile_add_text(struct pprof_profile *profile, const struct printout *p, int64_t key,
			   uint32_t id);

/*
 * Adds the labels of the request, which are set @label_set, to the next sample. With @are_series,
 * a receiver makes a series of each value: names are those that labels of series may have, and
 * trace and span are left out. Returns 0 or -ENOMEM.
 */
int pprof_profile_add_request(struct pprof_profile *profile, const struct printout *p,
			      uint32_t label_set, bool are_series);

/*
 * Adds the stack of @row in @p as a sample of @count, whose values are negative if it @subtracts.
 * Takes the labels that were added since the sample before. Returns 0 or -ENOMEM.
 */
int pprof_profile_add(struct pprof_profile *profile, const struct printout *p,
		      const struct stack_row *row, uint64_t count, bool subtracts);

/*
 * Appends the profile to @out, compressed by gzip; nothing can be added from then on. Returns 0,
 * -ENOMEM, or -E2BIG if it has more than @bytes_max before it is compressed.
 */
int pprof_profile_pack(struct pprof_profile *profile, size_t bytes_max, struct textbuf *out);

#endif
