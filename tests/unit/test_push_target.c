// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/push/push_target.h"
#include "tests/unit/suite.h"

START_TEST(hosts_of_this_machine)
{
	static const char *const own[] = {"localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7",
					  "[::1]"};
	static const char *const others[] = {
		"localhost.example",
		"example.com",
		"128.0.0.1",
		"127.0.0.1.example.com",
		"127.1",
		"10.0.0.1",
		"[::2]",
		"[::ffff:10.0.0.1]",
		"0.0.0.0",
		"",
		"::1x",
		"127.0.0.1 ",
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		ck_assert_msg(host_is_loopback(own[i]), "%s", own[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_msg(!host_is_loopback(others[i]), "%s", others[i]);
}
END_TEST

static int check_header(const char *header)
{
	struct push_target target = {0};
	struct err err = {0};
	int ret;

	ck_assert_int_eq(vec_push(&target.headers, header), 0);
	ret = push_target_check(&target, &err);
	vec_free(&target.headers);
	return ret;
}

START_TEST(headers)
{
	ck_assert_int_eq(check_header("X-A: b c"), 0);
	ck_assert_int_eq(check_header("x-a:"), 0);
	ck_assert_int_eq(check_header("Authorization: Basic x"), 0);
	ck_assert_int_eq(check_header("X A: b"), -EINVAL);
	ck_assert_int_eq(check_header(": b"), -EINVAL);
	ck_assert_int_eq(check_header("X-A"), -EINVAL);
	ck_assert_int_eq(check_header("X-A: b\r\nX-B: c"), -EINVAL);
	ck_assert_int_eq(check_header("X-A: \x7f"), -EINVAL);
	ck_assert_int_eq(check_header("X-A: \xc3\xa9"), -EINVAL);
	ck_assert_int_eq(check_header("hOst: x"), -EINVAL);
	ck_assert_int_eq(check_header("Content-Length: 1"), -EINVAL);
	ck_assert_int_eq(check_header("Transfer-Encoding: chunked"), -EINVAL);
}
END_TEST

START_TEST(secrets)
{
	struct push_target target = {0};

	ck_assert_int_eq(vec_push(&target.headers, "X-Team: authorization:"), 0);
	ck_assert(!push_target_has_secret(&target));
	ck_assert_int_eq(vec_push(&target.headers, "AUTHORIZATION: x"), 0);
	ck_assert(push_target_has_secret(&target));
	vec_clear(&target.headers);
	ck_assert_int_eq(vec_push(&target.headers, "Cookie: x"), 0);
	ck_assert(push_target_has_secret(&target));
	vec_free(&target.headers);
	target.token_file = "file";
	ck_assert(push_target_has_secret(&target));
}
END_TEST

START_TEST(labels)
{
	static const char *const given[] = {"team=web", "service_name=a=b"};
	struct push_target target = {0};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		ck_assert_int_eq(vec_push(&target.labels, given[i]), 0);
	ck_assert_int_eq(push_target_check(&target, &err), 0);
	ck_assert_str_eq(push_target_label(&target, "team"), "web");
	ck_assert_str_eq(push_target_label(&target, "service_name"), "a=b");
	ck_assert_ptr_null(push_target_label(&target, "service"));
	ck_assert_ptr_null(push_target_label(&target, "tea"));
	for (int i = 0; i < USER_LABELS_MAX; i++) {
		static char names[USER_LABELS_MAX][8];

		snprintf(names[i], sizeof(names[i]), "l%d=x", i);
		ck_assert_int_eq(vec_push(&target.labels, names[i]), 0);
	}
	ck_assert_int_eq(push_target_check(&target, &err), -EINVAL);
	vec_free(&target.labels);
}
END_TEST

SUITE_MAIN("push_target", hosts_of_this_machine, headers, secrets, labels)
