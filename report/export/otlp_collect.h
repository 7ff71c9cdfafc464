/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OTLP's first step: samples are collected, as a profile for each event of each series, with the
 * dictionary that all of them share. otlp_write.h makes a request of them. Elements are packed as
 * they come, so that a million stacks take little more memory than the request.
 */
#ifndef REPORT_EXPORT_OTLP_COLLECT_H
#define REPORT_EXPORT_OTLP_COLLECT_H

#include "common/option_spec.h"
#include "report/export/otlp_dictionary.h"
#include "report/export/pprof_tables.h"
#include "report/export/series_set.h"
#include "report/export/stack_places.h"

/* A value of a sample, in a slot or in the whole time. */
struct otlp_value {
	uint64_t time_ns; /* since 1970; 0 if samples have no times */
	int64_t value;
	uint32_t next; /* of the sample; OTLP_NONE: none */
};

/* What makes a sample what it is, and the chain of its values. */
struct otlp_sample {
	uint32_t profile, stack, attributes;
	uint32_t first_value, last_value;
	uint32_t next; /* of the profile */
};

struct otlp_profile {
	uint32_t series, event;
	uint32_t first_sample, last_sample;
};

/* A thread name of a process, or a thread: its series, and the attributes of its samples. */
struct otlp_thread {
	uint32_t process, comm, tid, label_set, series;
	uint32_t attributes; /* in attribute_sets, with the link */
};

#define OTLP_NONE UINT32_MAX

/* otlp_collected_init makes it. */
struct otlp_collected {
	struct pprof_tables frames; /* locations have the numbers that they have in OTLP */
	struct otlp_attributes attributes;
	struct otlp_table stacks;
	struct otlp_table attribute_sets; /* samples with these and their links alone */
	struct otlp_table links;          /* packed; ids of traces and spans */
	struct series_set series;
	VEC(uint64_t) series_counts; /* of the first event, to find the largest one */
	VEC(struct otlp_thread) threads;
	VEC(struct otlp_profile) profiles;
	VEC(struct otlp_sample) samples;
	VEC(struct otlp_value) values;
	struct index thread_index, profile_index, sample_index;
	stack_place_vec places;
	VEC(int32_t) locations; /* of the stack that is being added */
	struct textbuf scratch;
	uint64_t time_ns, duration_ns; /* since 1970; of all profiles */
	bool has_times;                /* of each value */
	const string_vec *labels;      /* NAME=VALUE, attributes of each resource; NULL: none */
};

/* Returns 0 or -ENOMEM. */
int otlp_collected_init(struct otlp_collected *collected);

/* All zero is fine. */
void otlp_collected_deinit(struct otlp_collected *collected);

/*
 * Adds @count of the stack of @row, of the event of the view of @p, at @time_ns since 1970. Values
 * of one sample and one time that follow each other are added up. Returns 0 or -ENOMEM.
 */
int otlp_collect(struct otlp_collected *collected, const struct printout *p,
		 const struct stack_row *row, uint64_t count, uint64_t time_ns);

#endif
