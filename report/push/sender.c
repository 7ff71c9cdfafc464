// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/sender.h"

#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"

#define SAY_NS (3600 * NS_PER_S)

bool sender_is_too_old(const struct sender *sender, uint64_t begin_ns, uint64_t wait_ns)
{
	uint64_t then = clock_realtime_ns() + wait_ns;

	return sender->max_age_ns && then > begin_ns && then - begin_ns > sender->max_age_ns;
}

/* Returns true if @text was said within the hour, else notes that it is said now. */
static bool was_said(struct sender *sender, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text), 0), now = clock_monotonic_ns();
	size_t nr = min_u64(sender->nr_said, NR_SAID);

	for (size_t i = 0; i < nr; i++) {
		struct said_text *said = &sender->said[i];

		if (said->hash != hash)
			continue;
		if (now - said->at_ns < SAY_NS)
			return true;
		said->at_ns = now;
		return false;
	}
	sender->said[sender->nr_said++ % NR_SAID] = (struct said_text){hash, now};
	return false;
}

void sender_say(struct sender *sender, const char *words, const char *text, const char *after)
{
	struct textbuf *out = sender->messages;

	if (was_said(sender, text))
		return;
	textbuf_printf(out, "WARNING: %s: ", words);
	textbuf_escaped(out, text, strlen(text), TEXT_MESSAGE);
	textbuf_printf(out, "%s\n", after);
	textbuf_flush(out);
}

void sender_say_failure(struct sender *sender, bool is_sent_again)
{
	sender_say(sender, "push failed", sender->failure, is_sent_again ? ", retrying" : "");
}

static uint64_t random_number(void)
{
	uint64_t number = 0;

	/* Without it the time to wait is half of what it could be. */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = 0;
	return number;
}

/* The request began at @begin_ns. */
static void note_failure(struct sender *sender, const struct http_answer *answer, uint64_t begin_ns,
			 struct push_message *message, uint64_t *wait_ns)
{
	if (!sender->failing_since_ns)
		sender->failing_since_ns = begin_ns;
	message->may_be_taken |= answer->may_be_taken;
	*wait_ns = back_off_fail(&sender->back_off, answer->retry_after_s, random_number());
}

static void note_done(struct sender *sender, enum push_fate fate, uint64_t nr_samples)
{
	sender->failing_since_ns = 0;
	back_off_reset(&sender->back_off);
	push_count_add(&sender->account.fates[fate], nr_samples);
}

/* It is said before it happens: whoever ends profrep now ends the account, too. */
static void note_repeat(struct sender *sender, struct push_message *message)
{
	push_count_add(&sender->account.repeated, message->nr_samples);
	message->may_be_taken = false;
	textbuf_printf(sender->messages,
		       "WARNING: a profile with %" PRIu64
		       " samples is sent again: the receiver may have it already\n",
		       message->nr_samples);
	textbuf_flush(sender->messages);
}

enum send_result sender_try(struct sender *sender, struct push_message *message, uint64_t *wait_ns)
{
	uint64_t begin_ns = clock_monotonic_ns();
	struct http_answer answer;

	if (message->may_be_taken)
		note_repeat(sender, message);
	http_client_post(sender->client, message->body, message->len, &answer);
	switch (answer.outcome) {
	case HTTP_TAKEN:
		note_done(sender, PUSH_SENT, message->nr_samples);
		return SEND_DONE;
	case HTTP_REFUSED:
		note_done(sender, PUSH_REFUSED, message->nr_samples);
		memcpy(sender->loss, answer.text, sizeof(sender->loss));
		sender_say(sender, "the receiver refused a profile", answer.text, "");
		return SEND_DONE;
	case HTTP_FAILED:
	case HTTP_BARRED:
		break;
	}
	memcpy(sender->failure, answer.text, sizeof(sender->failure));
	note_failure(sender, &answer, begin_ns, message, wait_ns);
	return answer.outcome == HTTP_BARRED ? SEND_BARRED : SEND_AGAIN;
}

static void wait_for(uint64_t ns)
{
	struct timespec left = {ns / NS_PER_S, ns % NS_PER_S};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left))
		;
}

/* How much of @patience_ns is left for a receiver that may be failing. */
static uint64_t patience_left(const struct sender *sender, uint64_t patience_ns)
{
	uint64_t since = sender->failing_since_ns;
	uint64_t gone = since ? clock_monotonic_ns() - since : 0;

	return patience_ns - min_u64(gone, patience_ns);
}

/* As sender_try, but no longer than the patience lasts. */
static enum send_result try_patiently(struct sender *sender, struct push_message *message,
				      uint64_t patience_ns, uint64_t *wait_ns)
{
	http_client_limit(sender->client, patience_left(sender, patience_ns));
	return sender_try(sender, message, wait_ns);
}

bool sender_send(struct sender *sender, struct push_message *message, uint64_t patience_ns)
{
	enum send_result result;
	uint64_t wait_ns;

	/* It is not worth to wait for a receiver that asks for more than there is patience. */
	while ((result = try_patiently(sender, message, patience_ns, &wait_ns)) == SEND_AGAIN &&
	       wait_ns < patience_left(sender, patience_ns)) {
		bool will_be_old = sender_is_too_old(sender, message->begin_ns, wait_ns);

		sender_say_failure(sender, !will_be_old);
		wait_for(wait_ns);
		if (!will_be_old)
			continue;
		push_count_add(&sender->account.fates[PUSH_TOO_OLD], message->nr_samples);
		return true;
	}
	if (result == SEND_DONE)
		return true;
	sender_say_failure(sender, false);
	memcpy(sender->loss, sender->failure, sizeof(sender->loss));
	push_count_add(&sender->account.fates[PUSH_UNSENT], message->nr_samples);
	return false;
}
