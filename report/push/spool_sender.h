/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends the requests of a spool, the oldest first, while somebody else fills it. What goes wrong is
 * said once, and tried again.
 */
#ifndef REPORT_PUSH_SPOOL_SENDER_H
#define REPORT_PUSH_SPOOL_SENDER_H

#include <signal.h>

#include "report/push/sender.h"
#include "report/push/spool.h"

/* Start with the members that are borrowed, and with report_ns and report_at_ns. */
struct spool_sender {
	struct spool *spool;
	struct sender *sender;
	const volatile sig_atomic_t *is_ended;
	uint64_t report_ns;    /* how often the account is printed, if it changed */
	uint64_t report_at_ns; /* by CLOCK_MONOTONIC */
	uint64_t send_at_ns;   /* by CLOCK_MONOTONIC; nothing is sent before */
	bool has_trouble;      /* the receiver took nothing of late */
	bool is_barred;        /* ... and will not before somebody has mended something */
	int spool_error;       /* the latest that was said */
	struct push_account reported;
	bool is_dropping;          /* since an outage began; that was said */
	struct push_count dropped; /* before */
	char_vec body;
};

void spool_sender_deinit(struct spool_sender *s);

/* Sends the oldest request once. There is one. */
void spool_sender_send(struct spool_sender *s);

/*
 * Says the first drop of an outage and the sum at its end, and prints the account, now and then, if
 * it changed.
 */
void spool_sender_report(struct spool_sender *s);

#endif
