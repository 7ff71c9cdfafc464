// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/http_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/minmax.h"
#include "common/options.h"
#include "report/push/curl_library.h"

/* Limits of an answer. The one to a push is empty, and errors are some hundred bytes. */
#define ANSWER_BYTES_MAX (64u << 10)
#define HEADER_BYTES_MAX (64u << 10)

/* How much of an error is shown. */
#define SHOWN_BYTES 300

#define CONNECT_MS 10000L
#define REQUEST_MS 60000L
#define LEAST_MS   1000L

#define TOKEN_BYTES_MAX 8192

struct http_client {
	struct curl_library lib;
	const struct push_target *target;
	const struct push_protocol *protocol;
	CURL *handle;
	struct curl_slist *headers; /* all but the token */
	char *url;
	bool is_loopback; /* the receiver is on this machine */
	char error[CURL_ERROR_SIZE];
	char answer[ANSWER_BYTES_MAX];
	size_t nr_answer, nr_header_bytes;
	const char *body; /* of the request */
	size_t len, nr_read;
	const volatile sig_atomic_t *is_ended;
	uint64_t grace_ns, ended_at_ns;
};

static size_t take_answer(char *data, size_t size, size_t nr, void *ctx)
{
	struct http_client *client = ctx;
	size_t len = size * nr;

	if (len > sizeof(client->answer) - client->nr_answer)
		return CURL_WRITEFUNC_ERROR;
	memcpy(client->answer + client->nr_answer, data, len);
	client->nr_answer += len;
	return len;
}

static size_t take_header(char *data, size_t size, size_t nr, void *ctx)
{
	struct http_client *client = ctx;

	(void)data;
	client->nr_header_bytes += size * nr;
	return client->nr_header_bytes > HEADER_BYTES_MAX ? 0 : size * nr;
}

static size_t give_body(char *data, size_t size, size_t nr, void *ctx)
{
	struct http_client *client = ctx;
	size_t len = min_u64(size * nr, client->len - client->nr_read);

	memcpy(data, client->body + client->nr_read, len);
	client->nr_read += len;
	return len;
}

/*
 * When a connection that was used before ends without an answer, libcurl would send the request
 * again by itself. The receiver may have it by then, and nobody would know. Newer versions keep in
 * mind that they have to rewind, and ask again before the next request reads any byte.
 */
static int refuse_rewind(void *ctx, curl_off_t offset, int origin)
{
	const struct http_client *client = ctx;

	return client->nr_read || offset || origin != SEEK_SET ? CURL_SEEKFUNC_FAIL
							       : CURL_SEEKFUNC_OK;
}

/* libcurl calls it often, and at least once a second. */
static int watch_end(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
		     curl_off_t up)
{
	struct http_client *client = ctx;
	uint64_t now = clock_monotonic_ns();

	(void)down_all, (void)down, (void)up_all, (void)up;
	if (!client->is_ended || !*client->is_ended)
		return 0;
	if (!client->ended_at_ns)
		client->ended_at_ns = now;
	return now - client->ended_at_ns >= client->grace_ns;
}

/* Sets *@text, which the caller frees by the library, to @part of @url; NULL if it has none. */
static char *url_part(const struct curl_library *lib, CURLU *url, CURLUPart part)
{
	char *text = NULL;

	return lib->url_get(url, part, &text, 0) ? NULL : text;
}

static bool has_part(const struct curl_library *lib, CURLU *url, CURLUPart part)
{
	char *text = url_part(lib, url, part);

	lib->free(text);
	return text;
}

/* A secret may go to this machine in the clear, and to no other. */
static int check_secret(const struct push_target *target, const char *scheme, const char *host,
			struct err *err)
{
	if (!strcmp(scheme, "https") || !push_target_has_secret(target) || host_is_loopback(host))
		return 0;
	err_set(err, -EINVAL, "failed to push to '%s': http would show the token to the network",
		target->url);
	return err_hint(err, -EINVAL, "https encrypts it; http is for this host alone");
}

static int check_parts(const struct curl_library *lib, const struct push_target *target, CURLU *url,
		       struct err *err)
{
	/* The URL is not printed: it has a secret. */
	if (has_part(lib, url, CURLUPART_USER) || has_part(lib, url, CURLUPART_PASSWORD)) {
		err_set(err, -EINVAL, "failed to push: the URL has a user or a password");
		return err_hint(err, -EINVAL, "--user NAME and --token-file FILE keep it secret");
	}
	if (has_part(lib, url, CURLUPART_QUERY) || has_part(lib, url, CURLUPART_FRAGMENT))
		return err_set(err, -EINVAL,
			       "failed to push to '%s': the URL has a query or a fragment",
			       target->url);
	return 0;
}

/* Makes the URL of @path below that of the user. Returns 0 or -ENOMEM. */
static int join_url(struct http_client *client, CURLU *url, const char *path)
{
	const struct curl_library *lib = &client->lib;
	char *base = url_part(lib, url, CURLUPART_PATH), *joined = NULL;
	size_t len = base ? strlen(base) : 0;
	int ret = -ENOMEM;

	while (len && base[len - 1] == '/')
		len--;
	/* Somebody may know the whole of it. */
	if (len > strlen(path) && !memcmp(base + len - strlen(path), path, strlen(path)))
		len -= strlen(path) + 1;
	if (asprintf(&joined, "%.*s/%s", (int)len, base ? base : "", path) >= 0) {
		if (!lib->url_set(url, CURLUPART_PATH, joined, 0))
			client->url = url_part(lib, url, CURLUPART_URL);
		free(joined);
		ret = client->url ? 0 : -ENOMEM;
	}
	lib->free(base);
	return ret;
}

static int read_url(struct http_client *client, CURLU *url, const char *path, struct err *err)
{
	const struct push_target *target = client->target;
	const struct curl_library *lib = &client->lib;
	char *scheme = NULL, *host = NULL;
	int ret = 0;

	if (!url)
		return err_set(err, -ENOMEM, "failed to push: out of memory");
	if (!lib->url_set(url, CURLUPART_URL, target->url, 0)) {
		scheme = url_part(lib, url, CURLUPART_SCHEME);
		host = url_part(lib, url, CURLUPART_HOST);
	}
	if (!scheme || !host || (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)) {
		err_set(err, -EINVAL, "failed to push: not a URL of http or https");
		ret = err_hint(err, -EINVAL, "as in https://pyroscope.example.com:4040");
	}
	if (!ret)
		ret = check_parts(lib, target, url, err);
	if (!ret)
		ret = check_secret(target, scheme, host, err);
	if (!ret && join_url(client, url, path))
		ret = err_set(err, -ENOMEM, "failed to push: out of memory");
	client->is_loopback = !ret && host_is_loopback(host);
	lib->free(scheme);
	lib->free(host);
	return ret;
}

/* Adds a header. Returns 0 or -ENOMEM. */
static int add_header(struct http_client *client, const char *text)
{
	struct curl_slist *list = client->lib.slist_append(client->headers, text);

	client->headers = list ? list : client->headers;
	return list ? 0 : -ENOMEM;
}

static int add_headers(struct http_client *client)
{
	const struct push_target *target = client->target;
	_cleanup_free_ char *type = NULL;
	int ret = 0;

	if (asprintf(&type, "Content-Type: %s", client->protocol->type) < 0)
		type = NULL;
	/* Without the last one libcurl asks the receiver whether it may send the body. */
	if (!type || add_header(client, type) || add_header(client, client->protocol->header) ||
	    add_header(client, "Expect:"))
		ret = -ENOMEM;
	if (!ret && target->tenant) {
		_cleanup_free_ char *text = NULL;

		if (asprintf(&text, "X-Scope-OrgID: %s", target->tenant) < 0)
			text = NULL;
		ret = text ? add_header(client, text) : -ENOMEM;
	}
	for (size_t i = 0; i < target->headers.nr && !ret; i++)
		ret = add_header(client, target->headers.data[i]);
	return ret;
}

/*
 * Sets what is equal for all requests. Verification of TLS is on unless somebody turns it off.
 * Without CURLOPT_NOSIGNAL libcurl ignores SIGPIPE as long as it works, whatever library does TLS.
 */
static CURLcode set_options(struct http_client *client)
{
	const struct curl_library *lib = &client->lib;
	const struct push_target *target = client->target;
	CURL *h = client->handle;
	CURLcode bad = lib->setopt(h, CURLOPT_URL, client->url);

	bad |= lib->setopt(h, CURLOPT_POST, 1L);
	bad |= lib->setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
	bad |= lib->setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
	bad |= lib->setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
	bad |= lib->setopt(h, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	bad |= lib->setopt(h, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	bad |= lib->setopt(h, CURLOPT_TIMEOUT_MS, REQUEST_MS);
	bad |= lib->setopt(h, CURLOPT_USERAGENT, "profrep/" PROFREC_VERSION);
	bad |= lib->setopt(h, CURLOPT_HTTPHEADER, client->headers);
	bad |= lib->setopt(h, CURLOPT_ERRORBUFFER, client->error);
	bad |= lib->setopt(h, CURLOPT_READFUNCTION, give_body);
	bad |= lib->setopt(h, CURLOPT_READDATA, client);
	bad |= lib->setopt(h, CURLOPT_SEEKFUNCTION, refuse_rewind);
	bad |= lib->setopt(h, CURLOPT_SEEKDATA, client);
	bad |= lib->setopt(h, CURLOPT_WRITEFUNCTION, take_answer);
	bad |= lib->setopt(h, CURLOPT_WRITEDATA, client);
	bad |= lib->setopt(h, CURLOPT_HEADERFUNCTION, take_header);
	bad |= lib->setopt(h, CURLOPT_HEADERDATA, client);
	bad |= lib->setopt(h, CURLOPT_NOPROGRESS, 0L);
	bad |= lib->setopt(h, CURLOPT_XFERINFOFUNCTION, watch_end);
	bad |= lib->setopt(h, CURLOPT_XFERINFODATA, client);
	/* What is for this machine goes to no proxy of the environment. */
	if (client->is_loopback)
		bad |= lib->setopt(h, CURLOPT_PROXY, "");
	if (target->ca_file)
		bad |= lib->setopt(h, CURLOPT_CAINFO, target->ca_file);
	return bad;
}

int http_client_create(const struct push_target *target, const struct push_protocol *protocol,
		       struct http_client **client, struct err *err)
{
	struct http_client *c = calloc(1, sizeof(*c));
	char token[TOKEN_BYTES_MAX];
	CURLU *url;
	int ret;

	if (!c)
		return err_set(err, -ENOMEM, "failed to push: out of memory");
	c->target = target;
	c->protocol = protocol;
	ret = curl_library_load(&c->lib, err);
	if (ret) {
		free(c);
		return ret;
	}
	url = c->lib.url();
	ret = read_url(c, url, protocol->path, err);
	c->lib.url_cleanup(url);
	/* A file that cannot be read is an error before anything is done. */
	if (!ret && target->token_file)
		ret = push_token_read(target->token_file, token, sizeof(token), err);
	if (!ret && target->ca_file && access(target->ca_file, R_OK)) {
		ret = -errno;
		err_set(err, ret, "failed to read '%s': %s", target->ca_file, strerror(-ret));
	}
	explicit_bzero(token, sizeof(token));
	if (!ret) {
		c->handle = c->lib.init();
		if (!c->handle || add_headers(c) || set_options(c))
			ret = err_set(err, -ENOMEM, "failed to push: libcurl takes no options");
	}
	if (ret)
		http_client_destroy(c);
	else
		*client = c;
	return ret;
}

void http_client_destroy(struct http_client *client)
{
	if (!client)
		return;
	if (client->handle)
		client->lib.cleanup(client->handle);
	client->lib.slist_free(client->headers);
	client->lib.free(client->url);
	free(client);
}

void http_client_watch(struct http_client *client, const volatile sig_atomic_t *is_ended,
		       uint64_t grace_ns)
{
	client->is_ended = is_ended;
	client->grace_ns = grace_ns;
}

/* Sets the token for the next request. The file is read each time, since tokens are renewed. */
static int set_token(struct http_client *client, struct err *err)
{
	const struct curl_library *lib = &client->lib;
	const struct push_target *target = client->target;
	char token[TOKEN_BYTES_MAX];
	CURLcode bad;
	int ret;

	if (!target->token_file)
		return 0;
	ret = push_token_read(target->token_file, token, sizeof(token), err);
	if (ret)
		return ret;
	bad = lib->setopt(client->handle, CURLOPT_HTTPAUTH,
			  target->user ? (long)CURLAUTH_BASIC : (long)CURLAUTH_BEARER);
	if (target->user) {
		bad |= lib->setopt(client->handle, CURLOPT_USERNAME, target->user);
		bad |= lib->setopt(client->handle, CURLOPT_PASSWORD, token);
	} else {
		bad |= lib->setopt(client->handle, CURLOPT_XOAUTH2_BEARER, token);
	}
	explicit_bzero(token, sizeof(token));
	return bad ? err_set(err, -ENOMEM, "failed to set the token: libcurl takes no options") : 0;
}

static void set_text(struct http_answer *answer, const char *words, const char *text, size_t len)
{
	snprintf(answer->text, sizeof(answer->text), "%s%s%.*s", words, len ? ": " : "", (int)len,
		 text);
}

/* Errors of verification, and of the files for it. */
static bool is_untrusted(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_ISSUER_ERROR ||
	       code == CURLE_SSL_CRL_BADFILE;
}

/* What to do about @code, behind its text; "" where the text says it. */
static const char *advice_on(CURLcode code)
{
	if (code == CURLE_COULDNT_CONNECT)
		return " (does the receiver run there?)";
	return is_untrusted(code) ? " (see --ca-file)" : "";
}

/* No whole answer came. */
static void judge_failure(struct http_client *client, CURLcode code, struct http_answer *answer)
{
	const char *reason = client->error[0] ? client->error : client->lib.strerror(code);

	answer->outcome = is_untrusted(code) ? HTTP_BARRED : HTTP_FAILED;
	answer->may_be_taken = client->nr_read == client->len;
	snprintf(answer->text, sizeof(answer->text), "%s%s", reason, advice_on(code));
}

/* Another server may say 200 to everything. An answer has the type of the request. */
static bool has_type(struct http_client *client)
{
	const char *wanted = client->protocol->type, *type = NULL;

	client->lib.getinfo(client->handle, CURLINFO_CONTENT_TYPE, &type);
	return type && !strncasecmp(type, wanted, strlen(wanted));
}

static void judge_success(struct http_client *client, struct http_answer *answer)
{
	const struct push_protocol *protocol = client->protocol;

	answer->outcome = HTTP_TAKEN;
	if (protocol->judge_answer)
		answer->outcome =
			protocol->judge_answer(client->answer, client->nr_answer, answer->text);
}

static void judge_answer(struct http_client *client, struct http_answer *answer)
{
	long status = 0;
	curl_off_t seconds = 0;
	char words[64];

	client->lib.getinfo(client->handle, CURLINFO_RESPONSE_CODE, &status);
	client->lib.getinfo(client->handle, CURLINFO_RETRY_AFTER, &seconds);
	snprintf(words, sizeof(words), "HTTP status %ld%s", status,
		 status == 401 || status == 403 ? " (see --token-file)" : "");
	answer->retry_after_s = seconds > 0 ? seconds : 0;
	if (status == 200 && has_type(client)) {
		judge_success(client, answer);
	} else if (status / 100 == 2) {
		answer->outcome = HTTP_BARRED;
		snprintf(answer->text, sizeof(answer->text), "it answers, but not as %s does",
			 client->protocol->name);
	} else {
		answer->outcome = client->protocol->judge_status(status);
		/* A proxy may say so when the receiver has the request. 503 says that nobody has
		 * it. */
		answer->may_be_taken =
			status >= 500 && status != 503 && client->nr_read == client->len;
		set_text(answer, words, client->answer, min_u64(client->nr_answer, SHOWN_BYTES));
	}
}

void http_client_limit(struct http_client *client, uint64_t limit_ns)
{
	uint64_t ms = max_u64(limit_ns / NS_PER_MS, LEAST_MS);

	client->lib.setopt(client->handle, CURLOPT_TIMEOUT_MS, (long)min_u64(ms, REQUEST_MS));
}

void http_client_post(struct http_client *client, const void *body, size_t len,
		      struct http_answer *answer)
{
	const struct curl_library *lib = &client->lib;
	struct err err = {0};
	CURLcode code;

	*answer = (struct http_answer){.outcome = HTTP_FAILED};
	client->nr_answer = client->nr_header_bytes = 0;
	client->error[0] = '\0';
	if (set_token(client, &err)) {
		set_text(answer, err.text, "", 0);
		return;
	}
	client->body = body;
	client->len = len;
	client->nr_read = 0;
	lib->setopt(client->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	code = lib->perform(client->handle);
	if (code)
		judge_failure(client, code, answer);
	else
		judge_answer(client, answer);
}
