/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocols by which receivers take profiles: what they say over HTTP. */
#ifndef REPORT_PUSH_PUSH_PROTOCOL_H
#define REPORT_PUSH_PUSH_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_TEXT_BYTES 512

/* The outcome of a request. */
enum http_outcome {
	HTTP_TAKEN,   /* the receiver has the request */
	HTTP_FAILED,  /* it may come through later */
	HTTP_REFUSED, /* the receiver will not take it */
	HTTP_BARRED,  /* the token, the URL, the certificates or the server must be mended first */
};

struct push_protocol {
	const char *name;   /* as people call the receiver's side */
	const char *path;   /* below the URL of the receiver */
	const char *type;   /* of contents: of requests, and of answers with status 200 */
	const char *header; /* another one of requests */
	/* Returns the outcome of a request with the @status of an error. */
	enum http_outcome (*judge_status)(long status);
	/*
	 * Returns the outcome of a request that was answered by status 200 and @len bytes. Sets
	 * @text to the reason, if it was not taken. NULL: it is taken.
	 */
	enum http_outcome (*judge_answer)(const void *answer, size_t len,
					  char text[HTTP_TEXT_BYTES]);
};

/* Pyroscope's Push API, by Connect; and OTLP over HTTP. */
extern const struct push_protocol pyroscope_protocol, otlp_protocol;

#endif
