/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the recorder takes for its knowledge of processes: mappings, paths, names. The
 * processes choose how much there is to know. Whoever keeps such knowledge charges its bytes here,
 * and asks before it keeps more. As the budget fills up, the recorder does without more and more.
 */
#ifndef RECORD_SHARES_MEMORY_BUDGET_H
#define RECORD_SHARES_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: nothing is used, and there is no limit. */
struct memory_budget {
	uint64_t max_bytes; /* 0: no limit */
	uint64_t used_bytes;
};

/* What took @from bytes takes @to bytes now. @budget may be NULL: nobody counts. */
static inline void memory_budget_charge(struct memory_budget *budget, size_t from, size_t to)
{
	if (budget)
		budget->used_bytes += to - from;
}

/* Are @eighths eighths of the budget in use? */
static inline bool memory_budget_is_used(const struct memory_budget *budget, unsigned int eighths)
{
	return budget && budget->max_bytes && budget->used_bytes >= budget->max_bytes / 8 * eighths;
}

/* From this many eighths on, processes are not described any more. */
#define MEMORY_DESCRIPTIONS 4

/* From this many on, the processes with most mappings lose theirs, down to the other number. */
#define MEMORY_MAPPINGS     6
#define MEMORY_MAPPINGS_LOW 4

/* From this many on, mappings may be kept again. */
#define MEMORY_RECOVERED 2

#endif
