// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/push_account.h"

#include <inttypes.h>

static const char *const words[NR_PUSH_FATES] = {
	[PUSH_TOO_OLD] = "too old",
	[PUSH_TOO_LARGE] = "too large",
	[PUSH_REFUSED] = "refused",
	[PUSH_DROPPED] = "dropped from a full spool",
	[PUSH_NO_DISK] = "lost to a full disk",
	[PUSH_UNSENT] = "not sent",
	[PUSH_GONE] = "removed from the spool by others",
};

void push_count_add(struct push_count *count, uint64_t nr_samples)
{
	count->nr_profiles++;
	count->nr_samples += nr_samples;
}

bool push_account_has_losses(const struct push_account *account)
{
	for (int i = PUSH_SENT + 1; i < NR_PUSH_FATES; i++)
		if (account->fates[i].nr_profiles)
			return true;
	return false;
}

void push_count_print(struct textbuf *out, const struct push_count *count)
{
	textbuf_printf(out, "%" PRIu64 " profile%s", count->nr_profiles,
		       count->nr_profiles == 1 ? "" : "s");
	/* Those of times off the CPU have none. */
	if (count->nr_samples || !count->nr_profiles)
		textbuf_printf(out, " with %" PRIu64 " sample%s", count->nr_samples,
			       count->nr_samples == 1 ? "" : "s");
}

void push_account_print(const struct push_account *account, struct textbuf *out)
{
	textbuf_str(out, "pushed: ");
	push_count_print(out, &account->fates[PUSH_SENT]);
	for (int i = PUSH_SENT + 1; i < NR_PUSH_FATES; i++) {
		if (!account->fates[i].nr_profiles)
			continue;
		textbuf_printf(out, "; %s: ", words[i]);
		push_count_print(out, &account->fates[i]);
	}
	if (account->repeated.nr_profiles) {
		textbuf_str(out, "; sent again, may count twice: ");
		push_count_print(out, &account->repeated);
	}
	if (account->waiting.nr_profiles) {
		textbuf_str(out, "; waiting in the spool: ");
		push_count_print(out, &account->waiting);
	}
	textbuf_char(out, '\n');
}
