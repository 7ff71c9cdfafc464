/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection of a static profrep to a receiver, by TCP or TLS. It waits with a deadline, and asks
 * meanwhile whether to go on. Errors are those of libcurl, whose place this takes.
 */
#ifndef REPORT_PUSH_HTTP_CONNECTION_H
#define REPORT_PUSH_HTTP_CONNECTION_H

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_connection {
	/* Set by the caller, and borrowed. */
	const char *ca_file; /* NULL: the certificates that the host trusts */
	curl_xferinfo_callback progress;
	void *progress_ctx;
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	char *error;     /* CURL_ERROR_SIZE bytes for the reason of a failure */

	int fd; /* -1: none */
	SSL_CTX *context;
	SSL *tls; /* NULL: plain TCP */
};

/*
 * Connects to @host at @port, and shakes hands if @is_tls, within @limit_ns. All of these return
 * CURLE_OK, or an error with the reason in ->error. The caller closes the connection also then.
 */
CURLcode http_connection_open(struct http_connection *c, const char *host, const char *port,
			      bool is_tls, uint64_t limit_ns);
void http_connection_close(struct http_connection *c);

/*
 * Sends @len bytes, less if @is_watched and the other side has begun to answer. *@nr_sent is set
 * in any case.
 */
CURLcode http_connection_send(struct http_connection *c, const char *data, size_t len,
			      bool is_watched, size_t *nr_sent);

/* Receives up to @size bytes. *@len is 0 at the end of the connection. */
CURLcode http_connection_receive(struct http_connection *c, char *data, size_t size, size_t *len);

#endif
