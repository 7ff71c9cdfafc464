/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profiles of a recording: one for each series and each stretch of time. A profile that a
 * receiver would refuse for its size is divided, and the parts add up to the whole.
 */
#ifndef REPORT_PUSH_PROFILE_PARTS_H
#define REPORT_PUSH_PROFILE_PARTS_H

#include "common/option_spec.h"
#include "report/view/printout.h"
#include "report/export/series_set.h"

/*
 * Limits of a profile, as Pyroscope has them by default (pkg/validation): max_profile_size_bytes,
 * before compression, less the room for labels in a request, and max_profile_stacktrace_samples.
 */
#define PROFILE_BYTES_MAX   ((4u << 20) - (64u << 10))
#define PROFILE_SAMPLES_MAX 16000u

/* The longest time of a profile, unless the recording has no shorter slices of time. */
#define PROFILE_NS_MAX UINT64_C(60000000000)

/* The bytes of profiles. */
enum profile_format {
	PROFILE_PPROF, /* compressed by gzip */
	PROFILE_OTLP,  /* a request with one profile */
};

/* All is borrowed. */
struct profile_part {
	const char *service, *cgroup;              /* "": not known */
	const char *cgroup_parts[NR_CGROUP_PARTS]; /* "": none */
	/* what processes say of themselves, but for the service; "": nothing */
	const char *attributes[PROF_NR_ATTRIBUTES];
	const struct textbuf *packed;
	uint64_t nr_samples; /* or hits; 0 of times and of bytes */
	uint64_t begin_ns;   /* since 1970 */
	char id[37];         /* a UUID: equal profiles of equal recordings have one */
};

/* Takes the profiles in their order in time. Its functions return 0 or a negative errno. */
struct profile_taker {
	enum profile_format format;
	const string_vec *labels; /* NAME=VALUE, attributes of OTLP's resource */
	int (*take)(void *ctx, const struct profile_part *part);
	/* Samples of a stack that is too large for any profile. */
	int (*leave_out)(void *ctx, uint64_t nr_samples);
	void *ctx;
};

/*
 * Makes the profiles of the event of @source, whose model keeps slots, and hands them to @taker. In
 * pprof, samples of the event stand for CPU time. Adds the stacks that rows lack to @summary.
 * Returns 0, -ENOMEM, or the error of @taker.
 */
int profile_parts_make(struct source *source, const struct profile_taker *taker,
		       struct rows_summary *summary);

/*
 * Sets @windows[i], for each of the @nr @slots, to the number of its window. A window is a stretch
 * of slots that follow each other, of PROFILE_NS_MAX at most, or one slot that is longer. Returns
 * the number of windows.
 */
uint32_t slots_divide(const struct model_slot *slots, size_t nr, uint32_t *windows);

#endif
