/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line that describes a recording: "Sampling at 49 Hertz of all threads by user + kernel stack
 * for 30 secs." The recorder prints it when it begins. The reporter prints it above the stacks,
 * from the recording. The wording is that of bcc's profile, byte for byte.
 */
#ifndef FORMAT_HEADLINE_H
#define FORMAT_HEADLINE_H

#include <stdint.h>

#include "format/prof.h"

/*
 * Makes the line, without a newline, from @meta and the duration in seconds; 0: until Ctrl-C. The
 * control characters of the command are escaped. Pids are used if there are both pids and tids, and
 * the period is used if freq_hz is 0. Returns a string that the caller frees, or NULL if memory
 * runs out.
 */
char *headline_format(const struct prof_meta *meta, uint64_t duration_s);

#endif
