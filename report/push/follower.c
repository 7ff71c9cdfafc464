// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/follower.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "common/clock.h"
#include "common/minmax.h"

struct follow {
	struct follower *f;
	struct spool_sender sending;
	uint64_t current;    /* number of the interval in the model */
	uint64_t stop_at_ns; /* by CLOCK_MONOTONIC: nothing more is read; 0: no signal came yet */
	bool has_samples;    /* the model holds an interval */
	bool is_whole;       /* all was read */
	bool is_full;        /* the disk of the spool had no room for the last interval */
	struct err *err;
};

/* Says once that the disk is full, until an interval fits again. @before were lost earlier. */
static void note_lost(struct follow *x, uint64_t before)
{
	const struct spool *spool = x->f->pusher->spool;
	const bool is_full = spool->fates[PUSH_NO_DISK].nr_profiles > before;
	struct textbuf *out = x->f->pusher->sender->messages;

	if (is_full && !x->is_full) {
		textbuf_str(
			out,
			"WARNING: profiles are lost, because there is no room on the disk of the spool '");
		textbuf_escaped(out, spool->name, strlen(spool->name), TEXT_MESSAGE);
		textbuf_str(out, "'.\n");
		textbuf_flush(out);
	}
	x->is_full = is_full;
}

/* Adds the requests of the interval in the model to the spool, and empties the model. */
static int push_interval(struct follow *x)
{
	struct follower *f = x->f;
	struct spool *spool = f->pusher->spool;
	const uint64_t lost = spool->fates[PUSH_NO_DISK].nr_profiles;
	int ret = recording_finish(&f->source->rec, x->err);

	if (!ret)
		ret = source_find_names(f->source, f->search, x->err);
	if (!ret)
		ret = pusher_push(f->pusher, f->source, &f->summary, x->err);
	if (ret) {
		spool_abort(spool);
		return ret;
	}
	ret = spool_commit(spool, NULL);
	if (ret)
		return err_set(x->err, ret, "failed to write the spool '%s': %s", spool->name,
			       strerror(-ret));
	note_lost(x, lost);
	x->has_samples = false;
	ret = source_renew(f->source);
	return ret ? err_set(x->err, ret, "failed to push '%s': %s", f->source->rec.name,
			     strerror(-ret))
		   : 0;
}

/* Of several epochs of an interval, only the last ends where it does, or after it. */
static int take_epoch(struct follow *x, const struct prof_epoch *epoch)
{
	struct recording *rec = &x->f->source->rec;
	uint64_t length_ns = rec->meta->interval_ns;
	uint64_t index = length_ns ? epoch->begin_ns / length_ns : 0;
	int ret = 0;

	if (x->has_samples && index > x->current)
		ret = push_interval(x);
	if (!ret)
		ret = recording_add(rec, epoch, x->err);
	if (ret)
		return ret;
	x->current = index;
	x->has_samples = true;
	return length_ns && epoch->end_ns / length_ns <= index ? 0 : push_interval(x);
}

static int take_next(struct follow *x)
{
	const struct prof_epoch *epoch;
	int ret = recording_next(&x->f->source->rec, &epoch, x->err);

	if (ret == RECORDING_EPOCH)
		return take_epoch(x, epoch);
	x->is_whole = ret == RECORDING_END;
	return ret;
}

/*
 * Waits until @until_ns for bytes of @fd, which may be -1, or for a signal. Returns true if there
 * are bytes, or none will come.
 */
static bool wait_for_bytes(struct follow *x, int fd, uint64_t until_ns)
{
	bool is_ended = *x->f->is_ended;
	struct pollfd fds[] = {{fd, POLLIN, 0}, {is_ended ? -1 : x->f->wake_fd, POLLIN, 0}};
	uint64_t now = clock_monotonic_ns();
	uint64_t wait_ms = until_ns > now ? (until_ns - now) / NS_PER_MS + 1 : 0;

	return poll(fds, 2, until_ns == UINT64_MAX ? -1 : (int)min_u64(wait_ms, INT_MAX)) > 0 &&
	       fds[0].revents;
}

/* Returns true if a signal has ended the stream before its writer did. */
static bool is_stopped(struct follow *x)
{
	uint64_t now = clock_monotonic_ns();

	if (!*x->f->is_ended)
		return false;
	if (!x->stop_at_ns)
		x->stop_at_ns = now + x->f->end_ns;
	return *x->f->is_ended > 1 || now >= x->stop_at_ns;
}

/* Does what can be done now, or waits. */
static int step(struct follow *x)
{
	struct spool *spool = x->f->pusher->spool;
	struct spool_sender *sending = &x->sending;
	uint64_t until_ns = x->stop_at_ns ? x->stop_at_ns : UINT64_MAX;
	bool may_send = spool_first(spool) && clock_monotonic_ns() >= sending->send_at_ns;
	/* A file is read faster than it is sent. */
	bool is_filling = !sending->has_trouble && spool->bytes > spool->bytes_max / 2;
	int fd = x->f->source->rec.fd;

	spool_sender_report(sending);
	if (!(may_send && is_filling) && wait_for_bytes(x, fd, 0))
		return take_next(x);
	if (may_send)
		spool_sender_send(sending);
	else if (spool_first(spool))
		wait_for_bytes(x, fd, min_u64(until_ns, sending->send_at_ns));
	else
		wait_for_bytes(x, fd, until_ns);
	return 0;
}

/* After a signal, a receiver in trouble is not waited for. */
static void send_rest(struct follow *x)
{
	struct spool_sender *sending = &x->sending;
	const uint64_t patience_ns = x->f->patience_ns;
	uint64_t taken_ns = clock_monotonic_ns();

	sending->send_at_ns = 0;
	while (spool_first(x->f->pusher->spool)) {
		uint64_t waited_ns = clock_monotonic_ns() - taken_ns;

		if (taken_ns + waited_ns >= sending->send_at_ns) {
			http_client_limit(sending->sender->client,
					  patience_ns - min_u64(waited_ns, patience_ns));
			spool_sender_send(sending);
			if (sending->is_barred)
				return;
			if (!sending->has_trouble)
				taken_ns = clock_monotonic_ns();
		} else if (*x->f->is_ended || sending->send_at_ns - taken_ns >= patience_ns) {
			return;
		} else {
			wait_for_bytes(x, -1, sending->send_at_ns);
		}
	}
}

static int follow(struct follow *x)
{
	struct source *source = x->f->source;
	int ret = 0;

	while (!ret && !x->is_whole && !is_stopped(x))
		ret = step(x);
	if (!ret && x->is_whole)
		ret = selection_check(&source->rec.selection, source->rec.name, x->err);
	if (!ret && x->has_samples)
		ret = push_interval(x);
	send_rest(x);
	return ret || !x->is_whole ? ret : source_check_filter(source, x->err);
}

int follower_run(struct follower *follower, struct err *err)
{
	struct follow x = {
		.f = follower,
		.sending = {.spool = follower->pusher->spool,
			    .sender = follower->pusher->sender,
			    .is_ended = follower->is_ended,
			    .report_ns = follower->report_ns,
			    .report_at_ns = clock_monotonic_ns() + follower->report_ns},
		.err = err,
	};
	int ret = follow(&x);

	spool_sender_deinit(&x.sending);
	return ret;
}
