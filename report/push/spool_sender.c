// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/spool_sender.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"

/* When a request that could not be read is tried again. */
#define SPOOL_RETRY_NS (10 * NS_PER_S)

void spool_sender_deinit(struct spool_sender *s)
{
	vec_free(&s->body);
}

/* Says @error of the spool once, and lets it pass. */
static void note_spool_error(struct spool_sender *s, int error)
{
	struct textbuf *out = s->sender->messages;

	s->has_trouble = true;
	s->send_at_ns = clock_monotonic_ns() + SPOOL_RETRY_NS;
	if (s->spool_error == error)
		return;
	s->spool_error = error;
	textbuf_printf(out, "WARNING: failed to send from the spool '%s': %s; it is tried again\n",
		       s->spool->name, strerror(-error));
	textbuf_flush(out);
}

/* Removes the oldest request: @fate is what became of it. */
static void end_first(struct spool_sender *s, struct spool_entry *entry, enum push_fate fate)
{
	push_count_add(&s->sender->account.fates[fate], entry->nr_samples);
	spool_remove(s->spool, entry);
}

void spool_sender_send(struct spool_sender *s)
{
	struct spool *spool = s->spool;
	struct sender *sender = s->sender;
	struct spool_entry *entry = spool_first(spool);
	struct push_message message = {
		.nr_samples = entry->nr_samples,
		.begin_ns = entry->begin_ns,
		.may_be_taken = entry->may_be_taken,
	};
	enum send_result result;
	uint64_t wait_ns = 0;
	int ret;

	if (sender_is_too_old(sender, entry->begin_ns, 0)) {
		end_first(s, entry, PUSH_TOO_OLD);
		return;
	}
	ret = spool_begin(spool, entry, &s->body);
	if (ret == -ENODATA) {
		end_first(s, entry, PUSH_GONE);
		return;
	}
	if (ret) {
		note_spool_error(s, ret);
		return;
	}
	s->spool_error = 0;
	message.body = s->body.data;
	message.len = s->body.nr;
	result = sender_try(sender, &message, &wait_ns);
	s->has_trouble = result != SEND_DONE;
	s->is_barred = result == SEND_BARRED;
	s->send_at_ns = clock_monotonic_ns() + wait_ns;
	if (!s->has_trouble) {
		spool_remove(spool, entry);
		return;
	}
	sender_say_failure(sender,
			   !*s->is_ended && !sender_is_too_old(sender, entry->begin_ns, wait_ns));
	entry->may_be_taken = message.may_be_taken;
	spool_put_back(spool, entry);
}

/* Says the first drop of an outage, and the sum at its end. */
static void note_drops(struct spool_sender *s)
{
	const struct push_count *dropped = &s->sender->account.fates[PUSH_DROPPED];
	struct textbuf *out = s->sender->messages;
	struct push_count sum = {dropped->nr_profiles - s->dropped.nr_profiles,
				 dropped->nr_samples - s->dropped.nr_samples};

	if (!sum.nr_profiles)
		return;
	if (!s->is_dropping)
		textbuf_printf(out,
			       "WARNING: the spool '%s' is full: its oldest requests are dropped\n",
			       s->spool->name);
	s->is_dropping = true;
	if (!s->has_trouble) {
		textbuf_str(out, "WARNING: dropped from the full spool: ");
		push_count_print(out, &sum);
		textbuf_char(out, '\n');
		s->is_dropping = false;
		s->dropped = *dropped;
	}
	textbuf_flush(out);
}

/* Prints the account, now and then, if it changed. */
static void report(struct spool_sender *s)
{
	uint64_t now = clock_monotonic_ns();
	struct sender *sender = s->sender;
	struct push_account account = sender->account;

	if (now < s->report_at_ns)
		return;
	s->report_at_ns = now + s->report_ns;
	spool_count(s->spool, &account.waiting);
	if (!memcmp(&account, &s->reported, sizeof(account)))
		return;
	s->reported = account;
	push_account_print(&account, sender->messages);
	textbuf_flush(sender->messages);
}

void spool_sender_report(struct spool_sender *s)
{
	note_drops(s);
	report(s);
}
