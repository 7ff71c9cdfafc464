/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends requests, one at a time, and keeps the account of them. Says each trouble once an hour, and
 * not for each request.
 */
#ifndef REPORT_PUSH_SENDER_H
#define REPORT_PUSH_SENDER_H

#include "report/push/back_off.h"
#include "report/push/http_client.h"
#include "report/push/push_account.h"

/* All is borrowed. */
struct push_message {
	const void *body;
	size_t len;
	uint64_t nr_samples;
	uint64_t begin_ns; /* of the profile, since 1970 */
	bool may_be_taken; /* it was sent before, with an outcome that nobody knows */
};

/* How many different troubles are remembered, so that each is reported at most once an hour. */
#define NR_SAID 16

struct said_text {
	uint64_t hash, at_ns; /* by CLOCK_MONOTONIC */
};

/* Start with client, max_age_ns and messages set. */
struct sender {
	struct http_client *client; /* borrowed */
	uint64_t max_age_ns;        /* older profiles are not sent; 0: all are */
	struct textbuf *messages;   /* borrowed: lines for the user, written at once */
	struct push_account account;
	struct back_off back_off;
	uint64_t failing_since_ns;      /* by CLOCK_MONOTONIC; 0: the latest request came through */
	char failure[HTTP_TEXT_BYTES];  /* the latest reason for which a request was not taken */
	char loss[HTTP_TEXT_BYTES];     /* the latest reason for which one was refused or left */
	struct said_text said[NR_SAID]; /* a ring */
	size_t nr_said;                 /* since the start */
};

enum send_result {
	SEND_DONE,   /* the message has its place in the account */
	SEND_AGAIN,  /* it should be sent again, later */
	SEND_BARRED, /* it should be sent again, when somebody has mended the token or the like */
};

/*
 * Returns true if a profile that began at @begin_ns, since 1970, will be older than the receiver
 * takes in @wait_ns from now.
 */
bool sender_is_too_old(const struct sender *sender, uint64_t begin_ns, uint64_t wait_ns);

/*
 * Sends @message once. The caller knows that it is not too old. Unless it is done, sets *@wait_ns
 * to the time after which it should be sent again, and notes in @message if the receiver may have
 * it. The caller says the failure.
 */
enum send_result sender_try(struct sender *sender, struct push_message *message, uint64_t *wait_ns);

/* Says the latest failure of sender_try, and if the message @is_sent_again. */
void sender_say_failure(struct sender *sender, bool is_sent_again);

/*
 * Says trouble with the receiver: "WARNING: @words: @text@after". A @text that was said within the
 * hour is not said again. @text can hold anything.
 */
void sender_say(struct sender *sender, const char *words, const char *text, const char *after);

/*
 * Sends @message until it is done or too old, or until no request came through for @patience_ns.
 * The caller knows that it is not too old yet. A message that is not sent has its place in the
 * account, too. Returns true if it is worth to send others.
 */
bool sender_send(struct sender *sender, struct push_message *message, uint64_t patience_ns);

#endif
