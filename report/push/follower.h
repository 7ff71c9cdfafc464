/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pushes a stream while it is recorded: each interval goes into a spool when it is whole, or each
 * epoch where the recording has no intervals. Reading comes before sending, because a recorder
 * whose reader is late loses samples.
 */
#ifndef REPORT_PUSH_FOLLOWER_H
#define REPORT_PUSH_FOLLOWER_H

#include <signal.h>

#include "report/push/pusher.h"
#include "report/push/spool_sender.h"

/* All but summary is borrowed. Start with the others set. */
struct follower {
	struct source *source; /* whose recording is open, with its events chosen */
	struct source_search *search;
	struct pusher *pusher; /* with the spool; takes_parts is true */
	/*
	 * Counts signals: one asks the recorder to end, too, and a second one does not wait for it.
	 */
	const volatile sig_atomic_t *is_ended;
	int wake_fd;                 /* readable after a signal */
	uint64_t end_ns;             /* how long the stream may still take after a signal */
	uint64_t patience_ns;        /* how long a receiver is asked after the end of the stream */
	uint64_t report_ns;          /* how often the account is printed, if it changed */
	struct rows_summary summary; /* of all that was read */
};

/*
 * Reads to the end of the stream, or until a signal ends it, and sends what the receiver takes. The
 * rest stays in the spool. Returns 0 or a negative errno with @err set.
 */
int follower_run(struct follower *follower, struct err *err);

#endif
