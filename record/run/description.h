/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes a recording, from facts of the session: the description at the beginning of its file,
 * and the end record.
 */
#ifndef RECORD_RUN_DESCRIPTION_H
#define RECORD_RUN_DESCRIPTION_H

#include <stdint.h>
#include <sys/utsname.h>

#include "format/prof.h"
#include "record/run/session.h"
#include "record/host/host.h"

/* All zero: nothing was described yet. */
struct description {
	struct prof_meta meta;
	struct prof_end end;
	uint64_t lost_records; /* of the side-band, told in the end records so far */
	uint64_t skipped;      /* hits, told in the same way */
	/* Buffers that meta and end point to: */
	struct utsname uts;
	struct host_names host;
	char *cpus, *command, *command_line, *filters;
	uint64_t *cpu_taken;
	struct prof_event_end event_ends[PROF_MAX_EVENTS];
};

/* Facts about the rows of a recording, an element for each event. */
struct counted {
	const uint64_t *sums;      /* of the counts in the file */
	const uint64_t *overflows; /* counts that are cut or missing, since a sum is full */
};

/*
 * Fills description->meta for a recording that began a moment ago at @start_ns (CLOCK_MONOTONIC)
 * and is to last @planned_ns (0: until a signal or event). The session must outlive the
 * description, and a description can begin again when it has ended. Returns 0 or -ENOMEM.
 */
int description_begin(struct description *description, const struct session *session,
		      uint64_t start_ns, uint64_t planned_ns);

/*
 * Fills description->end for the recording, which ends at @end_ns (CLOCK_MONOTONIC) for @reason.
 * Takes the totals out of the sampler. Returns 0 or -ENOMEM.
 */
int description_end(struct description *description, const struct session *session,
		    const struct counted *counted, uint64_t end_ns, enum prof_end_reason reason);

void description_deinit(struct description *description);

#endif
