// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections to receivers that do not answer in time, or before they have the whole request. */
#include "report/push/http_connection.c"

#include <fcntl.h>
#include <pthread.h>

#include "tests/unit/suite.h"

#define FAR_NS   (60 * NS_PER_S)
#define LIMIT_NS (5 * NS_PER_S)

static struct sockaddr_in addresses[2];
static struct addrinfo items[2];
static int ends[2], bell[2];
static bool is_sending;
static char asked[64];
static char error[CURL_ERROR_SIZE];

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **list);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		       struct addrinfo **list)
{
	(void)port;
	snprintf(asked, sizeof(asked), "%s %d", host ? host : "-", hints->ai_flags);
	*list = items;
	return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *list);
void __wrap_freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

/* Makes address @nr, at which nobody accepts but the kernel. */
static void begin_listening(int nr)
{
	socklen_t len = sizeof(addresses[nr]);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	addresses[nr] = (struct sockaddr_in){.sin_family = AF_INET,
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&addresses[nr], len), 0);
	ck_assert_int_eq(listen(fd, 0), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&addresses[nr], &len), 0);
	items[nr] = (struct addrinfo){.ai_family = AF_INET,
				      .ai_addr = (struct sockaddr *)&addresses[nr],
				      .ai_addrlen = len};
}

/* Connections that nobody takes: the kernel leaves the next one without an answer. */
static void fill_queue(int nr)
{
	for (int i = 0; i < 4; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		ck_assert(!connect(fd, items[nr].ai_addr, items[nr].ai_addrlen) ||
			  errno == EINPROGRESS);
	}
}

/* The receiver hears that the client waits. */
static int ring(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
	(void)ctx, (void)down_all, (void)down, (void)up_all, (void)up;
	if (is_sending)
		ck_assert_int_eq(write(bell[1], "", 1), 1);
	return 0;
}

static struct http_connection connection(uint64_t limit_ns)
{
	return (struct http_connection){.fd = -1,
					.error = error,
					.progress = ring,
					.end_ns = clock_monotonic_ns() + limit_ns};
}

START_TEST(one_address_of_two)
{
	struct http_connection c = connection(FAR_NS);

	begin_listening(0);
	fill_queue(0);
	begin_listening(1);
	items[0].ai_next = &items[1];
	ck_assert_int_eq(http_connection_open(&c, "name", "80", false, LIMIT_NS), CURLE_OK);
	http_connection_close(&c);
}
END_TEST

static const char *asked_for(const char *host)
{
	struct http_connection c = connection(FAR_NS);

	begin_listening(0);
	ck_assert_int_eq(http_connection_open(&c, host, "80", false, LIMIT_NS), CURLE_OK);
	http_connection_close(&c);
	return asked;
}

/* Nobody is asked where this machine is, and addresses are taken as they are. */
START_TEST(addresses_of_hosts)
{
	char named[64];

	snprintf(named, sizeof(named), "name %d", AI_ADDRCONFIG);
	ck_assert_str_eq(asked_for("LocalHost"), "- 0");
	ck_assert_str_eq(asked_for("127.0.0.1"), "127.0.0.1 0");
	ck_assert_str_eq(asked_for("::1"), "::1 0");
	ck_assert_str_eq(asked_for("name"), named);
}
END_TEST

START_TEST(no_handshake)
{
	struct http_connection c = connection(FAR_NS);
	const uint64_t end_ns = c.end_ns;

	begin_listening(0);
	ck_assert_int_eq(http_connection_open(&c, "name", "443", true, NS_PER_S / 5),
			 CURLE_OPERATION_TIMEDOUT);
	ck_assert_uint_eq(c.end_ns, end_ns);
	ck_assert_uint_lt(clock_monotonic_ns(), end_ns);
	http_connection_close(&c);
}
END_TEST

/* Without certificates. */
static SSL *make_tls(const SSL_METHOD *method, int fd)
{
	SSL_CTX *context = SSL_CTX_new(method);
	SSL *tls;

	ck_assert_int_eq(SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION), 1);
	ck_assert_int_eq(SSL_CTX_set_cipher_list(context, "aNULL:@SECLEVEL=0"), 1);
	tls = SSL_new(context);
	SSL_CTX_free(context);
	ck_assert_int_eq(SSL_set_fd(tls, fd), 1);
	return tls;
}

START_TEST(a_name_with_a_dot)
{
	SSL *tls = make_tls(TLS_client_method(), 0);

	ck_assert(expect_host(tls, "receiver.example."));
	ck_assert_str_eq(SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name), "receiver.example");
	ck_assert_str_eq(X509_VERIFY_PARAM_get0_host(SSL_get0_param(tls), 0), "receiver.example");
	SSL_free(tls);
}
END_TEST

/* Answers when the client can send no more, and reads nothing of what it sent. */
static void *answer_late(void *unused)
{
	SSL *tls = make_tls(TLS_server_method(), ends[1]);
	char byte;

	(void)unused;
	ck_assert_int_eq(SSL_accept(tls), 1);
	ck_assert_int_eq(read(bell[0], &byte, 1), 1);
	ck_assert_int_eq(SSL_write(tls, "no", 2), 2);
	while (read(bell[0], &byte, 1) > 0)
		;
	SSL_free(tls);
	return NULL;
}

START_TEST(answer_while_no_more_can_be_sent)
{
	static char request[8 << 20], answer[8];
	struct http_connection c = connection(FAR_NS);
	pthread_t receiver;
	size_t nr_sent, len;
	int ret;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) | pipe(bell), 0);
	ck_assert_int_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(pthread_create(&receiver, NULL, answer_late, NULL), 0);
	c.fd = ends[0];
	c.tls = make_tls(TLS_client_method(), c.fd);
	while ((ret = SSL_connect(c.tls)) != 1)
		ck_assert_int_eq(after_tls(&c, ret, 0), CURLE_AGAIN);
	is_sending = true;
	ck_assert_int_eq(http_connection_send(&c, request, sizeof(request), true, &nr_sent),
			 CURLE_OK);
	ck_assert_uint_lt(nr_sent, sizeof(request));
	ck_assert_int_eq(http_connection_receive(&c, answer, sizeof(answer), &len), CURLE_OK);
	ck_assert_str_eq(answer, "no");
	close(bell[1]);
	pthread_join(receiver, NULL);
	http_connection_close(&c);
}
END_TEST

SUITE_MAIN("http_connection", one_address_of_two, addresses_of_hosts, no_handshake,
	   a_name_with_a_dot, answer_while_no_more_can_be_sent)
