/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's choice of samples: --comm, --pid, --function and the like. Rows of the model that do
 * not pass are taken out of it, so that all outputs agree. Filters that need no names run before
 * the names are looked up.
 *
 * Each filter counts the rows that it leaves. If none is left, the error names the filter that left
 * nothing of the rows before it.
 */
#ifndef REPORT_VIEW_SAMPLE_FILTER_H
#define REPORT_VIEW_SAMPLE_FILTER_H

#include "common/err.h"
#include "common/option_spec.h"
#include "common/parse.h"
#include "report/model/event_choice.h"
#include "report/view/labels.h"

/* All zero: every sample passes. Options fill it; whoever owns the options releases the vectors. */
struct sample_filter {
	string_vec comms;   /* names of threads */
	u32_vec pids, tids; /* ids of processes, of threads */
	string_vec cgroups; /* paths; cgroups below them pass, too */
	/* what the paths say: beginnings of ids or names, uids, names with or without .service */
	string_vec containers, pods, units;
	string_vec services;           /* names */
	string_vec labels;             /* of requests: KEY=VALUE, or KEY for any value */
	string_vec dsos;               /* names or paths of files, of which a stack has a frame */
	const char *function, *ignore; /* regular expressions; NULL: none */
	uint64_t min_samples;          /* of a stack in all rows of equal text */
};

/* The filters, in the order in which they run. */
enum filter_step {
	FILTER_COMM = 0,
	FILTER_PID,
	FILTER_TID,
	FILTER_CGROUP,
	FILTER_CONTAINER,
	FILTER_POD,
	FILTER_UNIT,
	FILTER_SERVICE,
	FILTER_LABEL,
	FILTER_DSO,
	FILTER_FUNCTION,
	FILTER_IGNORE,
	FILTER_MIN_SAMPLES,
	NR_FILTER_STEPS,
};

/*
 * The options that fill a struct sample_filter, by step. Type and offset tell what is in it, so
 * whatever goes through all filters goes through this table. Those before FILTER_DSO choose owners
 * of samples, the others stacks.
 */
extern const struct option_spec filter_options[NR_FILTER_STEPS];

/* Returns true if the user gave the option of @step. */
bool sample_filter_has(const struct sample_filter *filter, enum filter_step step);

/* Returns true if @filter may leave out samples. */
bool sample_filter_is_set(const struct sample_filter *filter);

/* Rows before the filters, and after each. Those of all intervals add up. */
struct filter_account {
	uint64_t nr_rows, left[NR_FILTER_STEPS];
};

/*
 * Checks the regular expressions of @filter. Returns 0, or a negative errno with @err set, which
 * names the option.
 */
int sample_filter_check(const struct sample_filter *filter, struct err *err);

/*
 * Takes the rows out of @model that do not pass the filters which need no names. @model is whole.
 * Counts the rows of @events in @account. Returns 0 or -ENOMEM.
 */
int sample_filter_before_names(const struct sample_filter *filter, struct model *model,
			       const struct view *view, const struct event_choice *events,
			       struct filter_account *account);

/*
 * Goes on with the filters that need names. @meta tells whether rows are of threads. Other
 * arguments and errors are those of sample_filter_before_names.
 */
int sample_filter_by_names(const struct sample_filter *filter, struct model *model,
			   const struct symbols *symbols, const struct view *view,
			   const struct prof_meta *meta, const struct event_choice *events,
			   struct filter_account *account);

/*
 * Returns 0 if the filters left rows of the recording @name, or if it had none. Else returns
 * -ENOENT, with @err set.
 */
int filter_account_check(const struct filter_account *account, const struct sample_filter *filter,
			 const char *name, struct err *err);

#endif
