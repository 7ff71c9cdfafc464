/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Posts requests to one receiver, one after the other over one connection. TLS is always verified,
 * redirects are not followed, and times and sizes of answers are bounded.
 */
#ifndef REPORT_PUSH_HTTP_CLIENT_H
#define REPORT_PUSH_HTTP_CLIENT_H

#include <signal.h>

#include "report/push/push_protocol.h"
#include "report/push/push_target.h"
#include "report/text/textbuf.h"

struct http_answer {
	enum http_outcome outcome;
	bool may_be_taken; /* it failed after all of it was sent, and the receiver did not say so */
	uint64_t retry_after_s;     /* 0: the receiver did not ask for a time */
	char text[HTTP_TEXT_BYTES]; /* the reason for which it was not taken, as it came */
};

struct http_client;

/*
 * Makes a client that posts to @target by @protocol, whose members are borrowed. Connects to
 * nobody. Sets *@client, which the caller destroys. Returns 0 or a negative errno with @err set,
 * -EINVAL also if a secret would go over a network in the clear.
 */
int http_client_create(const struct push_target *target, const struct push_protocol *protocol,
		       struct http_client **client, struct err *err);

/* NULL is fine. */
void http_client_destroy(struct http_client *client);

/*
 * Ends the request that is on its way @grace_ns after *@is_ended has become true. Both are
 * borrowed.
 */
void http_client_watch(struct http_client *client, const volatile sig_atomic_t *is_ended,
		       uint64_t grace_ns);

/* Each request from now on ends after @limit_ns, at least a second and at most a minute. */
void http_client_limit(struct http_client *client, uint64_t limit_ns);

/* Posts @len bytes at @body. Returns nothing: each failure is an outcome. */
void http_client_post(struct http_client *client, const void *body, size_t len,
		      struct http_answer *answer);

#endif
