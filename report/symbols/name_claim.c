// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/name_claim.h"

bool name_claim_beats(const struct name_claim *claim, const struct name_claim *have)
{
	if (claim->has_name != have->has_name)
		return claim->has_name;
	if (!claim->has_name && claim->has_bounds != have->has_bounds)
		return claim->has_bounds;
	if (claim->off != have->off)
		return claim->off < have->off;
	return claim->quality >= have->quality;
}
