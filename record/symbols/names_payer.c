// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/names_payer.h"

#include "record/looks/file_owner.h"
#include "record/shares/shares.h"
#include "record/symbols/names_budget.h"

uint32_t names_payer_of(const struct file_place *place, uint32_t owner)
{
	uint32_t uid = place->owner ? place->owner - 1 : file_place_user(place);

	return share_owner_of(uid, owner);
}

bool names_payer_is_better(const struct shares *slots, const struct names_budget *budget,
			   uint32_t uid, uint32_t payer)
{
	bool is_thrifty = names_budget_is_thrifty(budget, uid);

	if (!uid || !payer)
		return payer;
	if (is_thrifty != names_budget_is_thrifty(budget, payer))
		return is_thrifty;
	/* With one more, or a file would go back and forth between two users. */
	return shares_held(slots, uid) + 1 < shares_held(slots, payer);
}
