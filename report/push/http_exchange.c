// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/http_exchange.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "common/parse.h"

#define BUFFER_BYTES (16u << 10)

/* How the end of a body is known. */
#define UNTIL_CLOSED UINT64_MAX

struct answer {
	struct http_exchange *x;
	struct http_connection *c;
	char data[BUFFER_BYTES];
	size_t pos, len;
	uint64_t body_bytes;
	bool is_chunked;
};

/* What is left to send of the head, or of the piece of the body that was read last. */
struct request {
	const char *data;
	size_t len;
	char piece[BUFFER_BYTES];
};

static CURLcode fail(const struct answer *a, CURLcode code, const char *text)
{
	snprintf(a->c->error, CURL_ERROR_SIZE, "%s", text);
	return code;
}

/* Makes at least one byte available, or tells that there is none left. */
static CURLcode fill(struct answer *a)
{
	if (a->pos < a->len)
		return CURLE_OK;
	a->pos = 0;
	return http_connection_receive(a->c, a->data, sizeof(a->data), &a->len);
}

/*
 * Takes a line, without its end and spaces before it, into @line of @size bytes. What is too long
 * for it is left out.
 */
static CURLcode take_line(struct answer *a, char *line, size_t size)
{
	size_t nr = 0;

	for (;;) {
		CURLcode code = fill(a);
		char c;

		if (code)
			return code;
		if (!a->len)
			return fail(a, nr || a->x->status ? CURLE_PARTIAL_FILE : CURLE_GOT_NOTHING,
				    "the receiver hung up before its answer was whole");
		c = a->data[a->pos++];
		if (a->x->header(&c, 1, 1, a->x->header_ctx) != 1)
			return fail(a, CURLE_WRITE_ERROR, "the header of the answer has no end");
		if (c == '\n')
			break;
		if (nr + 1 < size)
			line[nr++] = c;
	}
	while (nr && strchr(" \t\r", line[nr - 1]))
		nr--;
	line[nr] = '\0';
	return CURLE_OK;
}

/* Returns the value if @line is the header @name, else NULL. */
static const char *value_of(const char *line, const char *name)
{
	size_t len = strlen(name);

	if (strncasecmp(line, name, len) != 0 || line[len] != ':')
		return NULL;
	return line + len + 1 + strspn(line + len + 1, " \t");
}

/* Of Retry-After (RFC 9110, 10.2.3): seconds, or a date. */
static curl_off_t wait_of(const char *value)
{
	struct tm tm = {0};
	uint64_t seconds;
	time_t date;

	if (!parse_u64(value, 0, INT32_MAX, &seconds))
		return (curl_off_t)seconds;
	if (!strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &tm))
		return 0;
	date = timegm(&tm);
	return date > time(NULL) ? date - time(NULL) : 0;
}

static CURLcode take_header(struct answer *a, const char *line)
{
	struct http_exchange *x = a->x;
	const char *value;

	if ((value = value_of(line, "Content-Type")))
		snprintf(x->content_type, sizeof(x->content_type), "%s", value);
	else if ((value = value_of(line, "Retry-After")))
		x->retry_after_s = wait_of(value);
	else if ((value = value_of(line, "Transfer-Encoding")))
		a->is_chunked = !strcasecmp(value, "chunked");
	else if ((value = value_of(line, "Content-Length")) &&
		 parse_u64(value, 0, INT64_MAX, &a->body_bytes))
		return fail(a, CURLE_WEIRD_SERVER_REPLY, "the answer has a length that is none");
	return CURLE_OK;
}

/* Of "HTTP/1.1 200 OK", whose last word may be missing. Returns 0 if @line is something else. */
static long status_of(const char *line)
{
	int len = 0;
	long status;

	if (sscanf(line, "HTTP/1.%*1[0-9]%*1[ ]%3ld%n", &status, &len) != 1 || status < 100)
		return 0;
	return !line[len] || line[len] == ' ' ? status : 0;
}

/* One answer, which may be an interim one (1xx): what it says holds for itself alone. */
static CURLcode take_head(struct answer *a)
{
	char line[1024];
	CURLcode code = take_line(a, line, sizeof(line));

	if (code)
		return code;
	a->body_bytes = UNTIL_CLOSED;
	a->is_chunked = false;
	a->x->retry_after_s = 0;
	a->x->content_type[0] = '\0';
	a->x->status = status_of(line);
	if (!a->x->status)
		return fail(a, CURLE_WEIRD_SERVER_REPLY, "the answer is not HTTP");
	do {
		code = take_line(a, line, sizeof(line));
		if (!code)
			code = take_header(a, line);
	} while (!code && *line);
	return code;
}

/* Takes up to @nr bytes of a body. *@is_ended: the connection has ended before. */
static CURLcode take_bytes(struct answer *a, uint64_t nr, bool *is_ended)
{
	while (nr) {
		CURLcode code = fill(a);
		size_t step = min_u64(nr, a->len - a->pos);

		if (code)
			return code;
		*is_ended = !a->len;
		if (*is_ended)
			return CURLE_OK;
		if (a->x->write(a->data + a->pos, 1, step, a->x->write_ctx) != step)
			return fail(a, CURLE_WRITE_ERROR, "the answer is too long");
		a->pos += step;
		nr -= nr == UNTIL_CLOSED ? 0 : step;
	}
	return CURLE_OK;
}

static CURLcode take_whole(struct answer *a, uint64_t nr)
{
	bool is_ended = false;
	CURLcode code = take_bytes(a, nr, &is_ended);

	if (!code && is_ended && nr != UNTIL_CLOSED)
		code = fail(a, CURLE_PARTIAL_FILE,
			    "the receiver hung up before its answer was whole");
	return code;
}

/* Trailers are left in the connection. */
static CURLcode take_chunks(struct answer *a)
{
	for (;;) {
		char line[64];
		CURLcode code = take_line(a, line, sizeof(line));
		uint64_t nr;

		if (code)
			return code;
		nr = strtoull(line, NULL, 16);
		if (!isxdigit((unsigned char)*line) || nr >= INT64_MAX)
			return fail(a, CURLE_RECV_ERROR, "the answer has a chunk without a length");
		if (!nr)
			return CURLE_OK;
		code = take_whole(a, nr);
		if (!code)
			code = take_line(a, line, sizeof(line));
		if (!code && *line)
			code = fail(a, CURLE_RECV_ERROR,
				    "the answer has a chunk of another length");
		if (code)
			return code;
	}
}

/* Sends what is left of the request; if @is_watched, until the other side begins to answer. */
static CURLcode send_rest(const struct http_exchange *x, struct http_connection *c,
			  struct request *r, bool is_watched)
{
	do {
		size_t nr_sent;
		CURLcode code = http_connection_send(c, r->data, r->len, is_watched, &nr_sent);

		r->data += nr_sent;
		r->len -= nr_sent;
		if (code || r->len)
			return code;
		r->data = r->piece;
		r->len = x->read(r->piece, 1, sizeof(r->piece), x->read_ctx);
	} while (r->len);
	return CURLE_OK;
}

CURLcode http_exchange_run(struct http_exchange *x, struct http_connection *c)
{
	struct answer a = {.x = x, .c = c};
	struct request r = {.data = x->head, .len = strlen(x->head)};
	CURLcode code;

	x->status = 0;
	do {
		code = a.pos < a.len ? CURLE_OK : send_rest(x, c, &r, true);
		if (!code)
			code = take_head(&a);
	} while (!code && x->status / 100 == 1);
	/* Who refuses a request does not want the rest of it. */
	if (!code && x->status / 100 == 2)
		code = send_rest(x, c, &r, false);
	/* These have no body (RFC 9110, 6.4.1). */
	if (code || x->status == 204 || x->status == 304)
		return code;
	return a.is_chunked ? take_chunks(&a) : take_whole(&a, a.body_bytes);
}
