/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line that describes a recording: "Sampling at 49 Hertz of all threads by user + kernel stack
 * for 30 secs." The recorder prints it when it begins. The reporter prints it above the stacks,
 * from the recording. The wording is that of bcc's profile, byte for byte. Filters that it does not
 * name, and a choice of several CPUs, are added: "of all threads (comm 'nginx', uid 33) by user +
 * kernel stack on CPUs 0-3".
 *
 * A recording with a table of events has such a line for each event. Lines of counted hits begin in
 * the words of bcc's stackcount, and those of time off the CPU in the words of bcc's offcputime:
 * "Tracing 1 functions for "c:malloc" by sum of arg1 (bytes) for 30 secs."
 */
#ifndef FORMAT_HEADLINE_H
#define FORMAT_HEADLINE_H

#include <stdint.h>

#include "format/prof.h"

/*
 * The facts of a line that are not in the description. One of @every_nth hits was counted; of
 * these, one of up to @shed_gap stood for all. The line stands for @nr_recordings recordings. It
 * tells numbers above 1.
 */
struct headline_facts {
	uint64_t every_nth;
	uint64_t shed_gap;
	uint32_t nr_recordings;
	uint64_t duration_ns; /* 0: until Ctrl-C */
};

/*
 * Makes the line of @event, one of @meta's events, without a newline; NULL: @meta has no table of
 * events. Unless the unit is hits, the line names the unit. The control characters of the command
 * are escaped. Pids are used if there are both pids and tids, and the period is used if freq_hz is
 * 0. Returns a string that the caller frees, or NULL if memory runs out.
 */
char *headline_format(const struct prof_meta *meta, const struct prof_event *event,
		      const struct headline_facts *facts);

/*
 * Says what PROF_LOSS_REFUSED is by @backend, enum prof_backend: without BPF, a thread had ended or
 * did not stop in time, or the kernel had no room for the record. The text is static.
 */
const char *loss_refused_text(uint8_t backend);

#endif
