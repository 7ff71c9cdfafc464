/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line that describes a recording: "Sampling at 49 Hertz of all threads by user + kernel stack
 * for 30 secs." The recorder prints it when it begins. The reporter prints it above the stacks,
 * from the recording. The wording is that of bcc's profile, byte for byte.
 */
#ifndef COMMON_HEADLINE_H
#define COMMON_HEADLINE_H

#include <stddef.h>
#include <stdint.h>

enum headline_sides {
	HEADLINE_USER_KERNEL = 0,
	HEADLINE_USER = 1,
	HEADLINE_KERNEL = 2,
};

/*
 * An all-zero headline: every thread, both sides, every CPU, until Ctrl-C. Either freq_hz or period
 * is set.
 */
struct headline {
	uint64_t freq_hz;
	uint64_t period; /* in events; used if freq_hz is 0 */
	const uint32_t *pids;
	size_t nr_pids;
	const uint32_t *tids; /* used if there are no pids */
	size_t nr_tids;
	const char *command; /* the command that profrec started; NULL or "": none */
	enum headline_sides sides;
	uint32_t only_cpu;   /* CPU + 1; 0: several CPUs */
	uint64_t duration_s; /* in seconds; 0: until Ctrl-C */
};

/*
 * Makes the line, without a newline, with the command's control characters escaped. Returns a
 * string that the caller frees, or NULL if memory runs out.
 */
char *headline_format(const struct headline *h);

#endif
