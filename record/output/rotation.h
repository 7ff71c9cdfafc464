/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a run goes on in another recording, and how many of the finished ones stay. */
#ifndef RECORD_OUTPUT_ROTATION_H
#define RECORD_OUTPUT_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* All zero: only on request. */
struct rotation {
	uint64_t seconds; /* after this time; 0: not by time */
	uint64_t bytes;   /* when it is this large; 0: not by size */
	uint64_t keep;    /* finished recordings of this run that stay; 0: all */
};

/*
 * Reads the value of --rotate: "3600" is seconds, "64M" a size (K, M, G: powers of 1024). Returns
 * 0, or -EINVAL with @err set.
 */
int rotation_parse(const char *text, struct rotation *rotation, struct err *err);

/* Checks that the recordings can have names of their own. @wanted: --rotate was given. */
int rotation_check(const struct rotation *rotation, bool wanted, const char *output,
		   struct err *err);

#endif
