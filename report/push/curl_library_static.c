// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In place of curl_library.c in a static profrep: as much of libcurl as http_client.c uses, with
 * OpenSSL for TLS. Debian's static libcurl needs libraries that are not there as static ones. It
 * knows HTTP/1.1, makes a connection for each request, and goes through no proxy.
 */
#include "report/push/curl_library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/parse.h"
#include "report/push/http_exchange.h"
#include "report/text/textbuf.h"

/* A URL in its parts (RFC 3986). Those that it has not are NULL. */
struct Curl_URL {
	char *scheme, *user, *password, *host, *port, *path, *query, *fragment;
};

struct handle {
	struct http_exchange exchange;
	struct http_connection connection;
	char *url, *user, *password, *token, *agent, *ca_file;
	const struct curl_slist *headers;
	long connect_ms, timeout_ms, auth;
	curl_off_t body_bytes;
};

static void free_secret(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
	*text = NULL;
}

static CURLU *new_url(void)
{
	return calloc(1, sizeof(struct Curl_URL));
}

static char **part_of(struct Curl_URL *url, CURLUPart part)
{
	switch (part) {
	case CURLUPART_SCHEME:
		return &url->scheme;
	case CURLUPART_USER:
		return &url->user;
	case CURLUPART_PASSWORD:
		return &url->password;
	case CURLUPART_HOST:
		return &url->host;
	case CURLUPART_PORT:
		return &url->port;
	case CURLUPART_QUERY:
		return &url->query;
	case CURLUPART_FRAGMENT:
		return &url->fragment;
	default:
		return &url->path;
	}
}

static void empty_url(struct Curl_URL *url)
{
	for (CURLUPart part = CURLUPART_SCHEME; part <= CURLUPART_FRAGMENT; part++)
		free_secret(part_of(url, part));
}

static void free_url(CURLU *url)
{
	empty_url(url);
	free(url);
}

/* Cuts @text at the last of @marks, or the first, and returns what is behind it; NULL: none. */
static char *cut(char *text, char mark, bool at_last)
{
	char *at = at_last ? strrchr(text, mark) : strchr(text, mark);

	if (!at)
		return NULL;
	*at = '\0';
	return at + 1;
}

/* Sets *@part to a copy of @text, which may be NULL. */
static bool keep(char **part, const char *text)
{
	*part = text ? strdup(text) : NULL;
	return *part || !text;
}

/* A name or an address, with nothing that other readers of URLs take for an end of it. */
static bool is_host(const char *host)
{
	static const char letters[] =
		"-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char literal[INET6_ADDRSTRLEN];
	struct in6_addr address;
	size_t len = strlen(host);

	if (*host != '[')
		return len && strspn(host, letters) == len;
	if (len > sizeof(literal) + 1 || host[len - 1] != ']')
		return false;
	snprintf(literal, sizeof(literal), "%.*s", (int)len - 2, host + 1);
	return inet_pton(AF_INET6, literal, &address) == 1;
}

/* [USER[:PASSWORD]@]HOST[:PORT] */
static CURLUcode read_authority(struct Curl_URL *url, char *text)
{
	char *host = cut(text, '@', true), *port, *password, *end;
	uint64_t number;

	if (host) {
		password = cut(text, ':', false);
		if (!keep(&url->user, text) || !keep(&url->password, password))
			return CURLUE_OUT_OF_MEMORY;
	} else {
		host = text;
	}
	end = *host == '[' ? strchr(host, ']') : NULL;
	port = cut(end ? end : host, ':', false);
	if (!is_host(host) || (port && *port && parse_u64(port, 0, UINT16_MAX, &number)))
		return CURLUE_MALFORMED_INPUT;
	return keep(&url->host, host) && keep(&url->port, port && *port ? port : NULL)
		       ? CURLUE_OK
		       : CURLUE_OUT_OF_MEMORY;
}

static CURLUcode read_url(struct Curl_URL *url, const char *whole)
{
	_cleanup_free_ char *text = strdup(whole);
	char *rest, *fragment, *query, *path;
	CURLUcode code = CURLUE_OUT_OF_MEMORY;

	empty_url(url);
	rest = text ? strstr(text, "://") : NULL;
	if (!rest)
		return text ? CURLUE_MALFORMED_INPUT : code;
	*rest = '\0';
	rest += strlen("://");
	/* Nothing that would end a line of the request. */
	for (const char *c = rest; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return CURLUE_MALFORMED_INPUT;
	fragment = cut(rest, '#', false);
	query = cut(rest, '?', false);
	path = strchr(rest, '/');
	if (keep(&url->scheme, text) && keep(&url->fragment, fragment) &&
	    keep(&url->query, query) && keep(&url->path, path ? path : "/")) {
		if (path)
			*path = '\0';
		code = read_authority(url, rest);
	}
	for (char *c = url->scheme; c && *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
	return code;
}

static CURLUcode set_url(CURLU *url, CURLUPart part, const char *text, unsigned int flags)
{
	(void)flags;
	if (part == CURLUPART_URL)
		return read_url(url, text);
	free_secret(part_of(url, part));
	return keep(part_of(url, part), text) ? CURLUE_OK : CURLUE_OUT_OF_MEMORY;
}

static CURLUcode get_url(const CURLU *url, CURLUPart part, char **text, unsigned int flags)
{
	const char *value;

	(void)flags;
	if (part == CURLUPART_URL)
		return asprintf(text, "%s://%s%s%s%s", url->scheme, url->host, url->port ? ":" : "",
				url->port ? url->port : "", url->path) < 0
			       ? CURLUE_OUT_OF_MEMORY
			       : CURLUE_OK;
	value = *part_of((struct Curl_URL *)url, part);
	if (!value)
		return CURLUE_NO_HOST;
	*text = strdup(value);
	return *text ? CURLUE_OK : CURLUE_OUT_OF_MEMORY;
}

static struct curl_slist *append(struct curl_slist *list, const char *text)
{
	struct curl_slist *last = list, *item = calloc(1, sizeof(*item));

	if (!item || !keep(&item->data, text)) {
		free(item);
		return NULL;
	}
	while (last && last->next)
		last = last->next;
	if (last)
		last->next = item;
	return list ? list : item;
}

static void free_list(struct curl_slist *list)
{
	while (list) {
		struct curl_slist *next = list->next;

		free_secret(&list->data);
		free(list);
		list = next;
	}
}

static CURL *new_handle(void)
{
	return calloc(1, sizeof(struct handle));
}

static void free_handle(CURL *handle)
{
	struct handle *h = handle;

	free_secret(&h->password);
	free_secret(&h->token);
	free(h->url);
	free(h->user);
	free(h->agent);
	free(h->ca_file);
	free(h);
}

static CURLcode set_text(char **member, va_list arguments)
{
	free_secret(member);
	return keep(member, va_arg(arguments, const char *)) ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

/* Options whose values are functions. */
static bool set_function(struct handle *h, CURLoption option, va_list arguments)
{
	struct http_exchange *x = &h->exchange;

	switch (option) {
	case CURLOPT_READFUNCTION:
		x->read = va_arg(arguments, curl_read_callback);
		return true;
	case CURLOPT_WRITEFUNCTION:
		x->write = va_arg(arguments, curl_write_callback);
		return true;
	case CURLOPT_HEADERFUNCTION:
		x->header = va_arg(arguments, curl_write_callback);
		return true;
	case CURLOPT_XFERINFOFUNCTION:
		h->connection.progress = va_arg(arguments, curl_xferinfo_callback);
		return true;
	default:
		return false;
	}
}

/* Options whose values are memory of the caller. */
static bool set_place(struct handle *h, CURLoption option, va_list arguments)
{
	struct http_exchange *x = &h->exchange;

	switch (option) {
	case CURLOPT_READDATA:
		x->read_ctx = va_arg(arguments, void *);
		return true;
	case CURLOPT_WRITEDATA:
		x->write_ctx = va_arg(arguments, void *);
		return true;
	case CURLOPT_HEADERDATA:
		x->header_ctx = va_arg(arguments, void *);
		return true;
	case CURLOPT_XFERINFODATA:
		h->connection.progress_ctx = va_arg(arguments, void *);
		return true;
	case CURLOPT_ERRORBUFFER:
		h->connection.error = va_arg(arguments, char *);
		return true;
	case CURLOPT_HTTPHEADER:
		h->headers = va_arg(arguments, const struct curl_slist *);
		return true;
	default:
		return false;
	}
}

static bool set_number(struct handle *h, CURLoption option, va_list arguments)
{
	switch (option) {
	case CURLOPT_CONNECTTIMEOUT_MS:
		h->connect_ms = va_arg(arguments, long);
		return true;
	case CURLOPT_TIMEOUT_MS:
		h->timeout_ms = va_arg(arguments, long);
		return true;
	case CURLOPT_HTTPAUTH:
		h->auth = va_arg(arguments, long);
		return true;
	case CURLOPT_POSTFIELDSIZE_LARGE:
		h->body_bytes = va_arg(arguments, curl_off_t);
		return true;
	default:
		return false;
	}
}

/* Options that are not here ask for what always holds: POST, no redirect, all of TLS verified. */
static CURLcode set_option(CURL *handle, CURLoption option, ...)
{
	struct handle *h = handle;
	CURLcode code = CURLE_OK;
	va_list arguments;

	va_start(arguments, option);
	switch (option) {
	case CURLOPT_URL:
		code = set_text(&h->url, arguments);
		break;
	case CURLOPT_USERAGENT:
		code = set_text(&h->agent, arguments);
		break;
	case CURLOPT_CAINFO:
		code = set_text(&h->ca_file, arguments);
		break;
	case CURLOPT_USERNAME:
		code = set_text(&h->user, arguments);
		break;
	case CURLOPT_PASSWORD:
		code = set_text(&h->password, arguments);
		break;
	case CURLOPT_XOAUTH2_BEARER:
		code = set_text(&h->token, arguments);
		break;
	default:
		if (!set_function(h, option, arguments) && !set_place(h, option, arguments))
			set_number(h, option, arguments);
	}
	va_end(arguments);
	return code;
}

static CURLcode get_info(CURL *handle, CURLINFO info, ...)
{
	struct http_exchange *x = &((struct handle *)handle)->exchange;
	va_list arguments;

	va_start(arguments, info);
	if (info == CURLINFO_RESPONSE_CODE)
		*va_arg(arguments, long *) = x->status;
	else if (info == CURLINFO_RETRY_AFTER)
		*va_arg(arguments, curl_off_t *) = x->retry_after_s;
	else if (info == CURLINFO_CONTENT_TYPE)
		*va_arg(arguments, char **) = x->content_type;
	va_end(arguments);
	return CURLE_OK;
}

/* Without more words in the caller's buffer. */
static const char *describe(CURLcode code)
{
	return code == CURLE_OUT_OF_MEMORY ? "out of memory" : "the request failed";
}

/* Room comes first: a buffer that grows leaves what was in it behind. */
static void put_secret(struct textbuf *head, const char *scheme, const char *secret)
{
	if (!textbuf_reserve(head, strlen(secret) + 64))
		return;
	textbuf_str(head, "Authorization: ");
	textbuf_str(head, scheme);
	textbuf_str(head, secret);
	textbuf_str(head, "\r\n");
}

/* Appends the header with the user and the password (RFC 7617). Returns 0 or -ENOMEM. */
static int put_basic(const struct handle *h, struct textbuf *head)
{
	_cleanup_free_ char *both = NULL, *coded = NULL;
	int len = asprintf(&both, "%s:%s", h->user, h->password);

	if (len < 0) {
		both = NULL;
		return -ENOMEM;
	}
	coded = malloc(4 * ((size_t)len + 2) / 3 + 1);
	if (coded) {
		EVP_EncodeBlock((unsigned char *)coded, (unsigned char *)both, len);
		put_secret(head, "Basic ", coded);
		explicit_bzero(coded, strlen(coded));
	}
	explicit_bzero(both, len);
	return coded ? 0 : -ENOMEM;
}

/* Appends the token, if there is one. Returns 0 or -ENOMEM. */
static int put_authorization(const struct handle *h, struct textbuf *head)
{
	if (h->auth == (long)CURLAUTH_BASIC && h->user)
		return put_basic(h, head);
	if (h->token)
		put_secret(head, "Bearer ", h->token);
	return 0;
}

/* Has the caller a header @name, which takes the place of the usual one? */
static bool has_header(const struct handle *h, const char *name)
{
	size_t len = strlen(name);

	for (const struct curl_slist *item = h->headers; item; item = item->next)
		if (!strncasecmp(item->data, name, len) && item->data[len] == ':')
			return true;
	return false;
}

/* The caller's headers. One without a value only takes the place of another. */
static void put_headers(const struct handle *h, struct textbuf *head)
{
	for (const struct curl_slist *item = h->headers; item; item = item->next) {
		const char *colon = strchr(item->data, ':');

		if (colon && colon[1 + strspn(colon + 1, " \t")])
			textbuf_printf(head, "%s\r\n", item->data);
	}
}

/* Makes the head of the request. Returns 0 or -ENOMEM. */
static int put_head(const struct handle *h, const struct Curl_URL *url, struct textbuf *head)
{
	int ret = 0;

	textbuf_printf(head, "POST %s HTTP/1.1\r\nHost: %s%s%s\r\n", url->path, url->host,
		       url->port ? ":" : "", url->port ? url->port : "");
	if (!has_header(h, "User-Agent"))
		textbuf_printf(head, "User-Agent: %s\r\n", h->agent);
	if (!has_header(h, "Accept"))
		textbuf_str(head, "Accept: */*\r\n");
	textbuf_printf(head, "Connection: close\r\nContent-Length: %" PRIu64 "\r\n",
		       (uint64_t)h->body_bytes);
	put_headers(h, head);
	if (!has_header(h, "Authorization"))
		ret = put_authorization(h, head);
	textbuf_bytes(head, "\r\n", sizeof("\r\n"));
	return ret ? ret : head->error;
}

/* Connects to the host, an address of IPv6 without its brackets, and exchanges. */
static CURLcode exchange(struct handle *h, const struct Curl_URL *url)
{
	_cleanup_free_ char *host = strdup(*url->host == '[' ? url->host + 1 : url->host);
	bool is_tls = !strcmp(url->scheme, "https");
	struct http_connection *c = &h->connection;
	CURLcode code;

	if (!host)
		return CURLE_OUT_OF_MEMORY;
	cut(host, ']', true);
	c->ca_file = h->ca_file;
	c->end_ns = clock_monotonic_ns() + h->timeout_ms * NS_PER_MS;
	code = http_connection_open(c, host,
				    url->port ? url->port
				    : is_tls  ? "443"
					      : "80",
				    is_tls, h->connect_ms * NS_PER_MS);
	if (!code)
		code = http_exchange_run(&h->exchange, c);
	http_connection_close(c);
	return code;
}

static CURLcode perform(CURL *handle)
{
	/* OpenSSL writes to connections that the other side may have closed. */
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct handle *h = handle;
	struct Curl_URL url = {0};
	struct textbuf head = {.fd = -1};
	CURLcode code = CURLE_OUT_OF_MEMORY;

	if (!read_url(&url, h->url) && !put_head(h, &url, &head)) {
		h->exchange.head = head.data;
		sigaction(SIGPIPE, &ignore, &before);
		code = exchange(h, &url);
		sigaction(SIGPIPE, &before, NULL);
	}
	if (head.data)
		explicit_bzero(head.data, head.nr);
	textbuf_deinit(&head);
	empty_url(&url);
	return code;
}

int curl_library_load(struct curl_library *library, struct err *err)
{
	(void)err;
	*library = (struct curl_library){
		.init = new_handle,
		.cleanup = free_handle,
		.setopt = set_option,
		.perform = perform,
		.getinfo = get_info,
		.strerror = describe,
		.slist_append = append,
		.slist_free = free_list,
		.url = new_url,
		.url_cleanup = free_url,
		.url_set = set_url,
		.url_get = get_url,
		.free = free,
	};
	return 0;
}
