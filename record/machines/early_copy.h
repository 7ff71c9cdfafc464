/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The copy of a stack in an early sample, which leaves out pages that could not be read. */
#ifndef RECORD_MACHINES_EARLY_COPY_H
#define RECORD_MACHINES_EARLY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "common/minmax.h"

/*
 * Finds the byte that is @off bytes after early_stack_begin() of the stack. It is at *@at of
 * sample->stack, and *@nr bytes of the stack are there one after the other. Returns false if the
 * copy does not have it.
 */
static inline bool early_copy_find(const struct early_sample *sample, uint64_t off, uint64_t *at,
				   uint64_t *nr)
{
	const uint64_t page = off / EARLY_PAGE_BYTES;
	uint64_t below, rest;

	if (page >= EARLY_PAGES || sample->absent >> page & 1)
		return false;
	below = sample->absent & ((UINT64_C(1) << page) - 1);
	rest = sample->absent >> page;
	*at = off - EARLY_PAGE_BYTES * __builtin_popcountll(below);
	if (*at >= sample->nr_bytes)
		return false;
	*nr = sample->nr_bytes - *at;
	if (rest)
		*nr = min_u64(*nr, EARLY_PAGE_BYTES * (page + __builtin_ctzll(rest)) - off);
	return true;
}

/* Bytes of the stack up to the end of the copy, with those that were left out. */
static inline uint64_t early_copy_reach(const struct early_sample *sample)
{
	return sample->nr_bytes + EARLY_PAGE_BYTES * __builtin_popcountll(sample->absent);
}

#endif
