/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: when a run goes on in another recording, and how many finished recordings it keeps. */
#ifndef RECORD_OUTPUT_ROTATION_H
#define RECORD_OUTPUT_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* All zero: the run goes on in another recording only when a signal asks for it. */
struct rotation {
	uint64_t time_ns; /* length of a recording; 0: not by time */
	uint64_t bytes;   /* size of a recording; 0: not by size */
	uint64_t keep;    /* how many finished recordings of this run stay; 0: all */
};

/*
 * Parses the value of --rotate. "3600" and "60m" are lengths of time, "64M" is a size. Returns 0,
 * or -EINVAL with @err set.
 */
int rotation_parse(const char *text, struct rotation *rotation, struct err *err);

/*
 * Checks that @output can give each recording a name of its own, if the options ask for several
 * recordings. @wanted: the user gave --rotate. Returns 0, or -EINVAL with @err set.
 */
int rotation_check(const struct rotation *rotation, bool wanted, const char *output,
		   struct err *err);

#endif
