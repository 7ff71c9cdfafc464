/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that were read, on their way to a comparison. */
#ifndef REPORT_COMPARE_COMPARED_SOURCES_H
#define REPORT_COMPARE_COMPARED_SOURCES_H

#include "common/parse.h"
#include "report/compare/comparison.h"
#include "report/view/source.h"

/* Longest word for a unit of work. */
#define WORK_NAME_MAX 31

/* The user's choice of what to compare, and by what. */
struct compare_request {
	enum tally_by by;
	enum denominator per;
	double_vec work; /* units of work: one number for all recordings, or one for each */
	char work_name[WORK_NAME_MAX + 1]; /* of a unit of work; "": none */
	bool is_paired;
};

/* compared_sources_make makes them. */
struct compared_sources {
	struct tally tally;
	struct denominators *denominators; /* of each recording */
	struct comparison comparison;
};

/*
 * Compares the first @nr_before of @nr @sources with the others. Adds the stacks that rows lack to
 * @summary. Returns 0 or a negative errno with @err set. Call compared_sources_deinit in both
 * cases; all-zero ones are fine.
 */
int compared_sources_make(struct compared_sources *compared, struct source *sources,
			  size_t nr_before, size_t nr, const struct compare_request *request,
			  struct rows_summary *summary, struct err *err);

/*
 * Marks the functions that @pattern, a regular expression, does not match: a gate and the sentence
 * are about the others alone. A name matches as it is printed, or as it is, as in sample_filter.h.
 * If none matches, as a part that the compiler made, none is marked. Returns 0 or -ENOMEM.
 */
int compared_sources_choose(struct compared_sources *compared, const char *pattern);

/*
 * Each recording takes part with one event, and counts in different units cannot be compared.
 * Returns 0 if all is well with @nr @sources, else -EINVAL with @err set.
 */
int compared_sources_check(const struct source *sources, size_t nr, struct err *err);

/*
 * Returns 0 if counts of the @nr @sources mean the same, else -EINVAL with @err set: samples that
 * were taken at different rates stand for different times. Shares need no such check.
 */
int compared_sources_check_rates(const struct source *sources, size_t nr, struct err *err);

/*
 * Counts the @nr @sources, and compares nothing. As compared_sources_make.
 */
int compared_sources_count(struct compared_sources *compared, struct source *sources, size_t nr,
			   const struct compare_request *request, struct rows_summary *summary,
			   struct err *err);

/* Sets @view so that it names the things to compare, as far as the user did not choose. */
void compare_request_view(const struct compare_request *request, struct view *view);

void compared_sources_deinit(struct compared_sources *compared);

/*
 * Returns 0 if @request suits @nr_before recordings before and @nr_after after, else -EINVAL with
 * @err set.
 */
int compare_request_check(const struct compare_request *request, size_t nr_before, size_t nr_after,
			  struct err *err);

#endif
