// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/http_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <nss.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/minmax.h"

/* How long a wait goes on before the caller is asked. */
#define TURN_MS UINT64_C(200)

/* Where distributions keep the certificates that they trust. */
static const char *const trusted[] = {
	"/etc/ssl/certs/ca-certificates.crt", /* Debian, Ubuntu, Arch, Alpine */
	"/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
	"/etc/ssl/ca-bundle.pem",             /* SUSE */
};

static CURLcode fail(struct http_connection *c, CURLcode code, const char *text, const char *reason)
{
	snprintf(c->error, CURL_ERROR_SIZE, "%s%s%s", text, reason ? ": " : "",
		 reason ? reason : "");
	return code;
}

/* Waits until one of @events has come, or @end_ns, or the caller wants an end. */
static CURLcode wait_for(struct http_connection *c, short events, uint64_t end_ns)
{
	struct pollfd fd = {.fd = c->fd, .events = events};
	uint64_t now;

	for (;;) {
		if (c->progress(c->progress_ctx, 0, 0, 0, 0))
			return fail(c, CURLE_ABORTED_BY_CALLBACK, "stopped by a signal", NULL);
		now = clock_monotonic_ns();
		if (now >= end_ns)
			return fail(c, CURLE_OPERATION_TIMEDOUT, "the receiver took too long",
				    NULL);
		if (poll(&fd, 1, min_u64((end_ns - now) / NS_PER_MS + 1, TURN_MS)) > 0)
			return CURLE_OK;
	}
}

/* The error that OpenSSL noted first, in its words. */
static CURLcode fail_tls(struct http_connection *c, CURLcode code)
{
	long verdict = c->tls ? SSL_get_verify_result(c->tls) : X509_V_OK;
	const char *reason = ERR_reason_error_string(ERR_get_error());

	if (verdict != X509_V_OK)
		return fail(c, CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem",
			    X509_verify_cert_error_string(verdict));
	return fail(c, code, "TLS failed", reason ? reason : "the connection was closed");
}

/*
 * What to do after a call of OpenSSL returned @ret: CURLE_AGAIN to repeat it, after waiting.
 * CURLE_OK is the end of the connection. The wait for room ends by the events of @also, too.
 */
static CURLcode after_tls(struct http_connection *c, int ret, short also)
{
	CURLcode code;

	switch (SSL_get_error(c->tls, ret)) {
	case SSL_ERROR_WANT_READ:
		code = wait_for(c, POLLIN, c->end_ns);
		return code ? code : CURLE_AGAIN;
	case SSL_ERROR_WANT_WRITE:
		code = wait_for(c, POLLOUT | also, c->end_ns);
		return code ? code : CURLE_AGAIN;
	case SSL_ERROR_ZERO_RETURN:
		return CURLE_OK;
	default:
		return fail_tls(c, CURLE_SSL_CONNECT_ERROR);
	}
}

static CURLcode connect_to(struct http_connection *c, const struct addrinfo *a, uint64_t end_ns)
{
	int error = 0;
	socklen_t len = sizeof(error);
	CURLcode code;

	c->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
	if (c->fd < 0)
		return fail(c, CURLE_COULDNT_CONNECT, "failed to make a socket", strerror(errno));
	if (!connect(c->fd, a->ai_addr, a->ai_addrlen))
		return CURLE_OK;
	error = errno;
	if (error == EINPROGRESS) {
		code = wait_for(c, POLLOUT, end_ns);
		if (code)
			return code;
		getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	}
	return error ? fail(c, CURLE_COULDNT_CONNECT, "failed to connect", strerror(error))
		     : CURLE_OK;
}

static bool is_address(const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

/*
 * Sets *@list to the addresses of @host, which are from /etc/hosts and DNS: other sources of
 * /etc/nsswitch.conf are libraries, which a static program must not load. This machine has its
 * addresses by itself, since what is for it alone may have a token in the clear.
 */
static CURLcode find_addresses(struct http_connection *c, const char *host, const char *port,
			       struct addrinfo **list)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	bool is_local = !strcasecmp(host, "localhost");
	int ret;

	/* Names have addresses of the kinds that this host has. */
	hints.ai_flags = is_local || is_address(host) ? 0 : AI_ADDRCONFIG;
	__nss_configure_lookup("hosts", "files dns");
	ret = getaddrinfo(is_local ? NULL : host, port, &hints, list);
	return ret ? fail(c, CURLE_COULDNT_RESOLVE_HOST, "failed to find the receiver's address",
			  gai_strerror(ret))
		   : CURLE_OK;
}

/* Tries the addresses in turn. One that does not answer leaves half of the time to the others. */
static CURLcode connect_to_one(struct http_connection *c, const struct addrinfo *list)
{
	CURLcode code = CURLE_COULDNT_CONNECT;

	for (const struct addrinfo *a = list; a && code; a = a->ai_next) {
		uint64_t now = clock_monotonic_ns(), end_ns = c->end_ns;

		if (a->ai_next && now < end_ns)
			end_ns = now + (end_ns - now) / 2;
		if (c->fd >= 0)
			close(c->fd);
		code = connect_to(c, a, end_ns);
		if (code == CURLE_ABORTED_BY_CALLBACK)
			break;
	}
	return code;
}

static CURLcode load_trusted(struct http_connection *c)
{
	if (c->ca_file)
		return SSL_CTX_load_verify_file(c->context, c->ca_file) == 1
			       ? CURLE_OK
			       : fail_tls(c, CURLE_SSL_CACERT_BADFILE);
	/* By the environment: SSL_CERT_FILE and SSL_CERT_DIR. */
	SSL_CTX_set_default_verify_paths(c->context);
	for (size_t i = 0; i < ARRAY_SIZE(trusted); i++)
		if (!access(trusted[i], R_OK) &&
		    SSL_CTX_load_verify_file(c->context, trusted[i]) == 1)
			break;
	ERR_clear_error();
	return CURLE_OK;
}

/* Has the certificate name @host, a name or an address? The dot that ends a name is not in it. */
static bool expect_host(SSL *tls, const char *host)
{
	size_t len = strlen(host);
	_cleanup_free_ char *name = strndup(host, len && host[len - 1] == '.' ? len - 1 : len);

	if (is_address(host))
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host) == 1;
	SSL_set_hostflags(tls, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	return name && SSL_set1_host(tls, name) == 1 && SSL_set_tlsext_host_name(tls, name) == 1;
}

static CURLcode begin_tls(struct http_connection *c, const char *host)
{
	CURLcode code;
	int ret;

	c->context = SSL_CTX_new(TLS_client_method());
	if (!c->context || SSL_CTX_set_min_proto_version(c->context, TLS1_2_VERSION) != 1)
		return fail_tls(c, CURLE_OUT_OF_MEMORY);
	SSL_CTX_set_verify(c->context, SSL_VERIFY_PEER, NULL);
	/* Many receivers close without a word. Lengths of answers tell whether they are whole. */
	SSL_CTX_set_options(c->context, SSL_OP_IGNORE_UNEXPECTED_EOF);
	code = load_trusted(c);
	if (code)
		return code;
	c->tls = SSL_new(c->context);
	if (!c->tls || !expect_host(c->tls, host) || SSL_set_fd(c->tls, c->fd) != 1)
		return fail_tls(c, CURLE_OUT_OF_MEMORY);
	do {
		ret = SSL_connect(c->tls);
		if (ret == 1)
			return CURLE_OK;
		code = after_tls(c, ret, 0);
	} while (code == CURLE_AGAIN);
	return code ? code : fail(c, CURLE_SSL_CONNECT_ERROR, "TLS failed", "no handshake");
}

CURLcode http_connection_open(struct http_connection *c, const char *host, const char *port,
			      bool is_tls, uint64_t limit_ns)
{
	const uint64_t end_ns = c->end_ns;
	struct addrinfo *list = NULL;
	CURLcode code;

	c->fd = -1;
	c->context = NULL;
	c->tls = NULL;
	ERR_clear_error();
	code = find_addresses(c, host, port, &list);
	if (code)
		return code;
	c->end_ns = min_u64(end_ns, clock_monotonic_ns() + limit_ns);
	code = connect_to_one(c, list);
	freeaddrinfo(list);
	if (!code && is_tls)
		code = begin_tls(c, host);
	c->end_ns = end_ns;
	return code;
}

void http_connection_close(struct http_connection *c)
{
	SSL_free(c->tls);
	SSL_CTX_free(c->context);
	if (c->fd >= 0)
		close(c->fd);
}

/* Is there something of an answer, or an end? Tickets of TLS are not. */
static bool has_answer(struct http_connection *c)
{
	char byte;
	int ret;

	if (!c->tls)
		return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
	ret = SSL_peek(c->tls, &byte, 1);
	return ret > 0 || (SSL_get_error(c->tls, ret) != SSL_ERROR_WANT_READ &&
			   SSL_get_error(c->tls, ret) != SSL_ERROR_WANT_WRITE);
}

CURLcode http_connection_send(struct http_connection *c, const char *data, size_t len,
			      bool is_watched, size_t *nr_sent)
{
	const short also = is_watched ? POLLIN : 0;
	CURLcode code = CURLE_OK;

	*nr_sent = 0;
	while (*nr_sent < len && !code) {
		size_t step = min_u64(len - *nr_sent, 1 << 16);
		ssize_t ret;

		if (is_watched && has_answer(c))
			return CURLE_OK;
		ret = c->tls ? SSL_write(c->tls, data + *nr_sent, (int)step)
			     : send(c->fd, data + *nr_sent, step, MSG_NOSIGNAL);
		if (ret > 0) {
			*nr_sent += ret;
		} else if (c->tls) {
			code = after_tls(c, (int)ret, also);
			if (!code)
				code = fail(c, CURLE_SEND_ERROR, "the receiver hung up", NULL);
		} else if (errno == EAGAIN) {
			code = wait_for(c, POLLOUT | also, c->end_ns);
		} else {
			code = fail(c, CURLE_SEND_ERROR, "failed to send", strerror(errno));
		}
		code = code == CURLE_AGAIN ? CURLE_OK : code;
	}
	return code;
}

CURLcode http_connection_receive(struct http_connection *c, char *data, size_t size, size_t *len)
{
	CURLcode code;
	ssize_t ret;

	*len = 0;
	do {
		ret = c->tls ? SSL_read(c->tls, data, (int)size) : recv(c->fd, data, size, 0);
		if (ret > 0)
			*len = ret;
		if (ret > 0 || (!ret && !c->tls))
			return CURLE_OK;
		if (c->tls)
			code = after_tls(c, (int)ret, 0);
		else if (errno == EAGAIN)
			code = wait_for(c, POLLIN, c->end_ns);
		else
			return fail(c, CURLE_RECV_ERROR, "failed to receive", strerror(errno));
		if (c->tls && !code)
			return CURLE_OK;
	} while (!code || code == CURLE_AGAIN);
	return code == CURLE_SSL_CONNECT_ERROR ? CURLE_RECV_ERROR : code;
}
