/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An account of profiles by what became of them. No sample is left out of it. */
#ifndef REPORT_PUSH_PUSH_ACCOUNT_H
#define REPORT_PUSH_PUSH_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "report/text/textbuf.h"

enum push_fate {
	PUSH_SENT,      /* the receiver has it */
	PUSH_TOO_OLD,   /* older than the receiver takes */
	PUSH_TOO_LARGE, /* a stack that fits in no profile */
	PUSH_REFUSED,   /* the receiver will not take it */
	PUSH_DROPPED,   /* the spool was full */
	PUSH_NO_DISK,   /* of a stream: the disk of the spool was full */
	PUSH_UNSENT,    /* the receiver could not be reached */
	PUSH_GONE,      /* somebody else removed or changed it in the spool */
	NR_PUSH_FATES,
};

struct push_count {
	uint64_t nr_profiles, nr_samples;
};

struct push_account {
	struct push_count fates[NR_PUSH_FATES];
	/* Of those that were sent, or may have been: the receiver may have them twice. */
	struct push_count repeated;
	struct push_count waiting; /* in the spool */
};

/* Adds a profile of @nr_samples. */
void push_count_add(struct push_count *count, uint64_t nr_samples);

/* Appends @count in words. */
void push_count_print(struct textbuf *out, const struct push_count *count);

/* Returns true if some samples were not sent, and will not be. */
bool push_account_has_losses(const struct push_account *account);

/* Appends the account as a line. */
void push_account_print(const struct push_account *account, struct textbuf *out);

#endif
