/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules that an epoch's tables keep. The writer checks them before it relies on them. */
#ifndef FORMAT_CHECK_H
#define FORMAT_CHECK_H

#include "format/prof.h"

/*
 * Checks limits, elements 0, ids, ranges and enumerations of an epoch of a recording with
 * @nr_events events; 0: without a table of events. Adds the counts of each event to its element of
 * @totals, which has one at least. Returns 0, -E2BIG if a limit is exceeded, -EINVAL, or -ENOMEM.
 */
int epoch_check(const struct prof_epoch *epoch, uint32_t nr_events, uint64_t *totals);

/* Returns true if @end says that the stack was not stored. Such a stack has no frames. */
bool stack_end_is_missed(uint8_t end);

/* Returns true if [offset, offset + size) does not wrap. It may end at 2^64. */
bool range_is_valid(uint64_t offset, uint64_t size);

#endif
