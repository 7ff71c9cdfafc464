// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers of receivers in pieces, and what is no answer. The test plays the connection. */
#include "report/push/http_exchange.c"

#include "tests/unit/suite.h"

#define HEAD "POST / HTTP/1.1\r\n\r\n"
#define BODY "twelve bytes"

static struct {
	const char *answer;
	size_t nr_given, step; /* bytes at a time */
	size_t answered_after; /* so many bytes of the request; 0: all of them */
	size_t nr_early;       /* bytes of the answer that come before the rest of the request */
	char sent[512], body[256], headers[4096];
	size_t nr_sent, nr_read, nr_body, nr_headers;
} scene;

CURLcode http_connection_send(struct http_connection *c, const char *data, size_t len,
			      bool is_watched, size_t *nr_sent)
{
	(void)c;
	*nr_sent = 0;
	if (is_watched && scene.answered_after && scene.nr_sent >= scene.answered_after &&
	    scene.nr_given < scene.nr_early)
		return CURLE_OK;
	memcpy(scene.sent + scene.nr_sent, data, len);
	scene.nr_sent += len;
	*nr_sent = len;
	return CURLE_OK;
}

CURLcode http_connection_receive(struct http_connection *c, char *data, size_t size, size_t *len)
{
	size_t nr = strlen(scene.answer);

	(void)c;
	if (scene.nr_sent == scene.answered_after)
		nr = scene.nr_early;
	*len = min_u64(min_u64(size, scene.step), nr - scene.nr_given);
	memcpy(data, scene.answer + scene.nr_given, *len);
	scene.nr_given += *len;
	return CURLE_OK;
}

static size_t give_body(char *data, size_t size, size_t nr, void *ctx)
{
	size_t len = min_u64(size * nr, strlen(BODY) - scene.nr_read);

	(void)ctx;
	memcpy(data, BODY + scene.nr_read, len);
	scene.nr_read += len;
	return len;
}

static size_t take_body(char *data, size_t size, size_t nr, void *ctx)
{
	(void)ctx;
	if (scene.nr_body + nr * size >= sizeof(scene.body))
		return 0;
	memcpy(scene.body + scene.nr_body, data, nr * size);
	scene.nr_body += nr * size;
	return nr * size;
}

static size_t take_header_bytes(char *data, size_t size, size_t nr, void *ctx)
{
	(void)data, (void)ctx;
	scene.nr_headers += size * nr;
	return scene.nr_headers > sizeof(scene.headers) ? 0 : size * nr;
}

static struct http_exchange exchange;
static char error[CURL_ERROR_SIZE];

static CURLcode run(const char *answer, size_t step)
{
	struct http_connection c = {.error = error};

	memset(&scene, 0, sizeof(scene));
	scene.answer = answer;
	scene.step = step;
	error[0] = '\0';
	exchange = (struct http_exchange){
		.head = HEAD, .read = give_body, .header = take_header_bytes, .write = take_body};
	return http_exchange_run(&exchange, &c);
}

static const struct {
	const char *answer;
	CURLcode code;
	long status;
	const char *body, *error;
} answers[] = {
	{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloand more", CURLE_OK, 200, "hello", ""},
	{"HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello", CURLE_OK, 200, "hello", ""},
	{"HTTP/1.0 200\nContent-Length: 5\n\nhello", CURLE_OK, 200, "hello", ""},
	{"HTTP/1.1 200 OK\r\n\r\nuntil the end", CURLE_OK, 200, "until the end", ""},
	{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\nno", CURLE_OK,
	 400, "no", ""},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
	 CURLE_OK, 200, "hello", ""},
	{"HTTP/1.1 204 No Content\r\n\r\n", CURLE_OK, 204, "", ""},
	{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", CURLE_PARTIAL_FILE, 200, "hello",
	 "the receiver hung up before its answer was whole"},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", CURLE_PARTIAL_FILE, 200,
	 "hel", "the receiver hung up before its answer was whole"},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", CURLE_PARTIAL_FILE,
	 200, "hel", "the receiver hung up before its answer was whole"},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n", CURLE_RECV_ERROR, 200,
	 "", "the answer has a chunk without a length"},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello",
	 CURLE_RECV_ERROR, 200, "", "the answer has a chunk without a length"},
	{"HTTP/1.1 200 OK\r\nContent-", CURLE_PARTIAL_FILE, 200, "",
	 "the receiver hung up before its answer was whole"},
	{"", CURLE_GOT_NOTHING, 0, "", "the receiver hung up before its answer was whole"},
	{"SSH-2.0-OpenSSH\r\n", CURLE_WEIRD_SERVER_REPLY, 0, "", "the answer is not HTTP"},
	{"HTTP/1.1 nothing\r\n\r\n", CURLE_WEIRD_SERVER_REPLY, 0, "", "the answer is not HTTP"},
	{"HTTP/1.1 2000 OK\r\n\r\n", CURLE_WEIRD_SERVER_REPLY, 0, "", "the answer is not HTTP"},
	{"HTTP/1.1 20 OK\r\n\r\n", CURLE_WEIRD_SERVER_REPLY, 0, "", "the answer is not HTTP"},
	{"HTTP/1.1200 OK\r\n\r\n", CURLE_WEIRD_SERVER_REPLY, 0, "", "the answer is not HTTP"},
	{"HTTP/1.1 200 OK\r\nContent-Length: 5 \t\r\n\r\nhelloand more", CURLE_OK, 200, "hello",
	 ""},
	{"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", CURLE_WEIRD_SERVER_REPLY, 200, "",
	 "the answer has a length that is none"},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked \r\n\r\n5\r\nhello\r\n0\r\n\r\n", CURLE_OK,
	 200, "hello", ""},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-fffffffffffffffb\r\nhello\r\n",
	 CURLE_RECV_ERROR, 200, "", "the answer has a chunk without a length"},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n",
	 CURLE_RECV_ERROR, 200, "hell", "the answer has a chunk of another length"},
};

/* Answer number _i, whole and byte by byte. */
START_TEST(an_answer)
{
	static const size_t steps[] = {1, 7, 4096};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		ck_assert_int_eq(run(answers[_i].answer, steps[i]), answers[_i].code);
		ck_assert_int_eq(exchange.status, answers[_i].status);
		ck_assert_str_eq(scene.body, answers[_i].body);
		ck_assert_str_eq(error, answers[_i].error);
		ck_assert_str_eq(scene.sent, HEAD BODY);
	}
}
END_TEST

START_TEST(headers)
{
	char text[128];
	time_t later = time(NULL) + 100;

	run("HTTP/1.1 503 Later\r\nContent-Type: text/plain\r\nRETRY-AFTER:  120\r\n\r\n", 9);
	ck_assert_str_eq(exchange.content_type, "text/plain");
	ck_assert_int_eq(exchange.retry_after_s, 120);
	strftime(text, sizeof(text),
		 "HTTP/1.1 503 Later\r\nRetry-After: %a, %d %b %Y %T GMT\r\n\r\n", gmtime(&later));
	run(text, 9);
	ck_assert_int_gt(exchange.retry_after_s, 0);
	ck_assert_int_le(exchange.retry_after_s, 100);
	run("HTTP/1.1 503 Later\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n", 9);
	ck_assert_int_eq(exchange.retry_after_s, 0);
	run("HTTP/1.1 503 Later\r\nRetry-After: soon\r\n\r\n", 9);
	ck_assert_int_eq(exchange.retry_after_s, 0);
}
END_TEST

/* What has no end is not read to its end. */
START_TEST(too_long)
{
	char answer[8192] = "HTTP/1.1 200 OK\r\nX: ";

	memset(answer + strlen(answer), 'x', sizeof(answer) - strlen(answer) - 1);
	ck_assert_int_eq(run(answer, 4096), CURLE_WRITE_ERROR);
	ck_assert_str_eq(error, "the header of the answer has no end");
	memcpy(answer, "HTTP/1.1 200 OK\r\n\r\n", strlen("HTTP/1.1 200 OK\r\n\r\n"));
	ck_assert_int_eq(run(answer, 4096), CURLE_WRITE_ERROR);
	ck_assert_str_eq(error, "the answer is too long");
}
END_TEST

/* @early comes when the receiver has the head alone, and @late when it has all. */
static CURLcode run_early(const char *early, const char *late)
{
	struct http_connection c = {.error = error};
	char answer[512];

	run("", 1);
	memset(&scene, 0, sizeof(scene));
	snprintf(answer, sizeof(answer), "%s%s", early, late);
	scene.answer = answer;
	scene.step = 4096;
	scene.answered_after = strlen(HEAD);
	scene.nr_early = strlen(early);
	return http_exchange_run(&exchange, &c);
}

/* A receiver that refuses a large request need not read it. Any other gets the rest. */
START_TEST(early_answer)
{
	ck_assert_int_eq(run_early("HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n", ""),
			 CURLE_OK);
	ck_assert_int_eq(exchange.status, 413);
	ck_assert_str_eq(scene.sent, HEAD);
	ck_assert_int_eq(run_early("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ""), CURLE_OK);
	ck_assert_int_eq(exchange.status, 200);
	ck_assert_str_eq(scene.sent, HEAD BODY);
	ck_assert_str_eq(scene.body, "ok");
}
END_TEST

/* It is no answer yet, and says nothing of the one that follows. */
START_TEST(interim_answer)
{
	static const char interim[] =
		"HTTP/1.1 103 Early\r\nContent-Type: text/plain\r\nRetry-After: 5\r\n"
		"Content-Length: 9\r\n\r\n";
	static const char last[] = "HTTP/1.1 200 OK\r\n\r\nuntil the end";

	ck_assert_int_eq(run_early(interim, last), CURLE_OK);
	ck_assert_int_eq(exchange.status, 200);
	ck_assert_str_eq(scene.sent, HEAD BODY);
	ck_assert_str_eq(scene.body, "until the end");
	ck_assert_str_eq(exchange.content_type, "");
	ck_assert_int_eq(exchange.retry_after_s, 0);
	/* Both at once. */
	ck_assert_int_eq(
		run_early("HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n",
			  ""),
		CURLE_OK);
	ck_assert_int_eq(exchange.status, 400);
	ck_assert_str_eq(scene.sent, HEAD);
}
END_TEST

SUITE_MAIN_OF(((struct suite){
		      .name = "http_exchange", .loop = an_answer, .nr_loops = ARRAY_SIZE(answers)}),
	      headers, too_long, early_answer, interim_answer)
