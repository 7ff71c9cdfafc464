/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time for each user of the host, for work whose amount the user chooses. Time that passes
 * gives each user credit, which can be saved up to a limit, and work takes it away. Root has no
 * limit: the work is the same that would be done on a host without other users.
 */
#ifndef RECORD_SHARES_OWNER_TIME_H
#define RECORD_SHARES_OWNER_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"

struct time_account {
	uint32_t uid;
	uint64_t full_ns; /* CLOCK_MONOTONIC: from then on its credit is at the limit */
};

/* Set the first two; the accounts are empty: everybody has the most credit. */
struct owner_time {
	uint32_t part;   /* the work of one user may take 1/part of the time that passes */
	uint64_t max_ns; /* CPU time that can be saved up */
	VEC(struct time_account) accounts;
};

/* The CPU time that @uid may use at @now_ns (CLOCK_MONOTONIC); 0: none. Root has UINT64_MAX. */
uint64_t owner_time_left(const struct owner_time *time, uint32_t uid, uint64_t now_ns);

/* Has @uid less than half of what can be saved up? Then work that is less urgent has to wait. */
bool owner_time_is_low(const struct owner_time *time, uint32_t uid, uint64_t now_ns);

/* The work of @uid has taken @cpu_ns. Debts are paid back, too, up to the limit of the credit. */
void owner_time_charge(struct owner_time *time, uint32_t uid, uint64_t cpu_ns, uint64_t now_ns);

void owner_time_deinit(struct owner_time *time);

#endif
