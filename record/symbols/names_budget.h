/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time of the child for names, by the users whose files it reads. Those other than root have a
 * limit together, too, since one may have many user ids.
 */
#ifndef RECORD_SYMBOLS_NAMES_BUDGET_H
#define RECORD_SYMBOLS_NAMES_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "record/shares/owner_time.h"

struct names_budget {
	struct owner_time time; /* of each user */
	struct owner_time sum;  /* and of all but root */
};

void names_budget_init(struct names_budget *budget);

/* The CPU time in ns that questions about files of @owner may take now; 0: none. */
uint64_t names_budget_limit(const struct names_budget *budget, uint32_t owner);

/*
 * The child has used @used_ns for a file of @owner. If @has_died, its end costs the owner more than
 * that, but not the other users.
 */
void names_budget_charge(struct names_budget *budget, uint32_t owner, uint64_t used_ns,
			 bool has_died);

/* Has @owner used little time lately? */
bool names_budget_is_thrifty(const struct names_budget *budget, uint32_t owner);

void names_budget_deinit(struct names_budget *budget);

#endif
