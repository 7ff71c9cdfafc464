/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the requests of recordings and sends them. */
#ifndef REPORT_PUSH_PUSHER_H
#define REPORT_PUSH_PUSHER_H

#include "report/push/profile_parts.h"
#include "report/push/sender.h"
#include "report/push/spool.h"

/*
 * Start with target and sender set, and with patience_ns or spool. All that it points to is
 * borrowed.
 */
struct pusher {
	const struct push_target *target;
	struct sender *sender;
	uint64_t patience_ns; /* how long a receiver that takes nothing is asked */
	struct spool *spool;  /* gets the requests; NULL: they are sent */
	bool takes_parts;     /* the spool takes parts of a recording that goes on */
	bool has_given_up;    /* nothing more is sent */
	const char *host;     /* of the recording */
	bool has_said_events; /* that some are not pushed */
	uint64_t id;          /* of the recording: recording_id */
	struct textbuf body;
};

void pusher_deinit(struct pusher *pusher);

/*
 * Chooses the event of @source, whose recording is open, that is pushed. Returns 0, or -EINVAL with
 * @err set as pusher_push does, which calls it, too.
 */
int pusher_choose(const struct pusher *pusher, struct source *source, struct err *err);

/*
 * Pushes the event of @source that is CPU time, or all of its events by OTLP. Its names are found.
 * Each of its samples has a place in the sender's account then. Adds the stacks that rows lack to
 * @summary. Returns 0 or a negative errno with @err set: -EINVAL if the recording has no CPU time
 * of one host. Without takes_parts a spool takes whole recordings alone, each once: others are
 * -ENODATA and -EEXIST.
 */
int pusher_push(struct pusher *pusher, struct source *source, struct rows_summary *summary,
		struct err *err);

#endif
