/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One request over a connection of its own, and its answer (RFC 9112), in a static profrep. */
#ifndef REPORT_PUSH_HTTP_EXCHANGE_H
#define REPORT_PUSH_HTTP_EXCHANGE_H

#include "report/push/http_connection.h"

struct http_exchange {
	/* Set by the caller, and borrowed. */
	const char *head;        /* the request line and the headers, with the empty line */
	curl_read_callback read; /* gives the body */
	void *read_ctx;
	curl_write_callback header, write; /* take the answer */
	void *header_ctx, *write_ctx;

	/* Of the answer. */
	long status;
	char content_type[128];
	curl_off_t retry_after_s;
};

/* Sends the request over @c, which is open, and takes the answer. Returns CURLE_OK or an error. */
CURLcode http_exchange_run(struct http_exchange *x, struct http_connection *c);

#endif
