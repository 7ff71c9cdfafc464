// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/process_environment.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"

static char_vec found;

static void expect(const char *bytes, size_t len, const char *text, size_t text_len)
{
	/* A copy without a byte behind it, so that valgrind and sanitizers see a read beyond. */
	char *copy = malloc(len);

	ck_assert(!len || copy);
	memcpy(copy, bytes, len);
	ck_assert_int_eq(process_environment_parse(copy, len, &found), 0);
	ck_assert_uint_eq(found.nr, text_len);
	ck_assert(!text_len || !memcmp(found.data, text, text_len));
	free(copy);
}

#define EXPECT(environment, text)                                                                  \
	expect(environment, sizeof(environment) - 1, text, sizeof(text) - 1)

static void teardown(void)
{
	vec_free(&found);
}

START_TEST(a_service)
{
	EXPECT("HOME=/\0OTEL_SERVICE_NAME=shop\0A=b\0", "service.name\0shop\0");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service.name=shop\0", "service.name\0shop\0");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=token=s3cret, service.version = 1.2 ,service.name=shop\0",
	       "service.version\0001.2\0service.name\0shop\0");
	/* the name has a variable of its own, which comes first */
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service.name=a,service.namespace=n\0OTEL_SERVICE_NAME=b\0",
	       "service.name\0b\0service.namespace\0n\0");
	EXPECT("OTEL_SERVICE_NAME=\0OTEL_RESOURCE_ATTRIBUTES=service.name=a\0",
	       "service.name\0a\0");
	/* of two the first, as getenv has it */
	EXPECT("OTEL_SERVICE_NAME=a\0OTEL_SERVICE_NAME=b\0", "service.name\0a\0");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service.name=a%2Cb%20%c3%A9\0",
	       "service.name\0a,b \xc3\xa9\0");
}
END_TEST

START_TEST(no_service)
{
	EXPECT("", "");
	EXPECT("\0\0\0", "");
	EXPECT("OTEL_SERVICE_NAME", "");
	EXPECT("OTEL_SERVICE_NAME\0", "");
	EXPECT("XOTEL_SERVICE_NAME=a\0OTEL_SERVICE_NAMES=b\0otel_service_name=c\0", "");
	/* cut */
	EXPECT("OTEL_SERVICE_NAME=sho", "");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service.name=shop", "");
	/* not well-formed */
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=,,=,=a,service.name,service.name=,service.name= \0", "");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service.name=%,service.name=%4,service.name=%4g\0", "");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service.name=a%00b\0", "");
	EXPECT("OTEL_RESOURCE_ATTRIBUTES=service%2Ename=a\0", "");
}
END_TEST

START_TEST(long_values)
{
	static char text[ENVIRONMENT_MAX] = "OTEL_SERVICE_NAME=";
	static const char resource[] = "OTEL_RESOURCE_ATTRIBUTES=service.name=";

	memset(text + strlen(text), 'n', sizeof(text) - strlen(text) - 1);
	ck_assert_int_eq(process_environment_parse(text, sizeof(text), &found), 0);
	ck_assert_uint_eq(found.nr, sizeof("service.name") + 256);
	/* one that is encoded is not cut in the middle of a character */
	memcpy(text, resource, sizeof(resource) - 1);
	ck_assert_int_eq(process_environment_parse(text, sizeof(text), &found), 0);
	ck_assert_uint_eq(found.nr, 0);
}
END_TEST

START_TEST(addresses)
{
	static const char begin[] = "7 (a) 1 (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
				    "20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 "
				    "40 41 42 43 44 45 46";
	char text[512];
	uint64_t from = 0, to = 0;

	snprintf(text, sizeof(text), "%s 4096 8192 0\n", begin);
	ck_assert(process_environment_find(text, &from, &to));
	ck_assert_uint_eq(from, 4096);
	ck_assert_uint_eq(to, 8192);
	/* a kernel thread, and one that may not be looked at */
	snprintf(text, sizeof(text), "%s 0 0 0\n", begin);
	ck_assert(!process_environment_find(text, &from, &to));
	ck_assert(!process_environment_find(begin, &from, &to));
	ck_assert(!process_environment_find("", &from, &to));
}
END_TEST

START_TEST(of_this_process)
{
	/* The environment with which a process began is in its memory, where it can be written. */
	char_vec attributes = {0};

	ck_assert_int_eq(process_environment_read(NULL, getpid(), &attributes), 0);
	ck_assert_uint_eq(attributes.nr, 0);
	ck_assert_int_eq(process_environment_read(NULL, UINT32_MAX, &attributes), 0);
	ck_assert_uint_eq(attributes.nr, 0);
	vec_free(&attributes);
}
END_TEST

SUITE_MAIN_WITH("process_environment", NULL, teardown, a_service, no_service, long_values,
		addresses, of_this_process)
