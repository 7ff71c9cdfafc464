// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/container_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/looks/json_members.h"
#include "tests/unit/suite.h"

static char_vec found;

static void expect(const char *json, size_t len, const char *text, size_t text_len)
{
	/* A copy without a byte behind it, so that valgrind and sanitizers see a read beyond. */
	char *copy = malloc(len + 1);

	ck_assert(copy);
	memcpy(copy + 1, json, len);
	ck_assert_int_eq(container_names_parse(copy + 1, len, &found), 0);
	ck_assert_uint_eq(found.nr, text_len);
	ck_assert(!text_len || !memcmp(found.data, text, text_len));
	free(copy);
}

#define EXPECT(json, text) expect(json, sizeof(json) - 1, text, sizeof(text) - 1)

static void teardown(void)
{
	vec_free(&found);
}

START_TEST(engines)
{
	/* Docker's config.v2.json */
	EXPECT("{\"StreamConfig\":{},\"State\":{\"Running\":true,\"Pid\":7},\"ID\":\"0f\",\"Path\":"
	       "\"sh\",\"Args\":[\"-c\",\"Name\"],\"Config\":{\"Name\":\"no\",\"Env\":[\"Name=no\"]},"
	       "\"Name\":\"/web\",\"Driver\":\"overlay2\"}",
	       "container.name\0web\0");
	/* containerd's, of a container of Kubernetes */
	EXPECT("{\"ociVersion\": \"1.1.0\",\n \"process\": {\"args\": [\"a\"]},\n \"annotations\": {\n"
	       "  \"io.kubernetes.cri.container-name\": \"app\",\n"
	       "  \"io.kubernetes.cri.container-type\": \"container\",\n"
	       "  \"io.kubernetes.cri.sandbox-name\": \"web-0\",\n"
	       "  \"io.kubernetes.cri.sandbox-namespace\": \"shop\"\n }}\n",
	       "k8s.container.name\0app\0k8s.pod.name\0web-0\0k8s.namespace.name\0shop\0");
	/* CRI-O's */
	EXPECT("{\"annotations\":{\"io.kubernetes.container.name\":\"app\",\"io.kubernetes.pod.name\":"
	       "\"web-0\",\"io.kubernetes.pod.namespace\":\"shop\"}}",
	       "k8s.container.name\0app\0k8s.pod.name\0web-0\0k8s.namespace.name\0shop\0");
	/* nerdctl's */
	EXPECT("{\"annotations\":{\"nerdctl/name\":\"web\",\"nerdctl/namespace\":\"default\"}}",
	       "container.name\0web\0");
}
END_TEST

START_TEST(places)
{
	/* of two, the first */
	EXPECT("{\"Name\":\"a\",\"Name\":\"b\"}", "container.name\0a\0");
	/* elsewhere they are no names */
	EXPECT("{\"a\":{}\"Name\":\"b\"}", "");
	EXPECT("{\"Config\":{\"Name\":\"a\"},\"nerdctl/name\":\"b\"}", "");
	EXPECT("{\"\":{\"Name\":\"a\"},\"x\\u0000\":{\"Name\":\"b\"}}", "");
	EXPECT("[{\"Name\":\"a\"}]", "");
	EXPECT("{\"annotations\":[{\"nerdctl/name\":\"a\"}]}", "");
	EXPECT("{\"annotations\":{\"x\":{\"nerdctl/name\":\"a\"}}}", "");
	EXPECT("{\"annotations\":[\"nerdctl/name\",\"a\"]}", "");
	EXPECT("{\"x\":[\"Name\",\"a\"],\"y\":\"Name\",\"Name\":7,\"z\":\"b\"}", "");
	EXPECT("\"Name\"", "");
	/* after members of all kinds */
	EXPECT("{\"a\":[{},[],{\"b\":[1,{\"c\":null}]}],\"d\":-1.5e+7,\"e\":false,\"Name\":\"a\"}",
	       "container.name\0a\0");
}
END_TEST

START_TEST(escapes)
{
	EXPECT("{\"Na\\u006de\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\"}",
	       "container.name\0a\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\0");
	/* halves of a pair */
	EXPECT("{\"Name\":\"\\ud83d\\ud83d\"}", "container.name\0\xef\xbf\xbd\0");
	EXPECT("{\"Name\":\"\\ude00x\"}", "container.name\0\xef\xbf\xbdx\0");
	EXPECT("{\"Name\":\"a\\u0000b\"}", "");
	EXPECT("{\"Name\":\"/\"}", "");
	EXPECT("{\"Name\":\"\"}", "");
}
END_TEST

START_TEST(hostile)
{
	static const char good[] =
		"{\"Name\":\"a\\u20ac\",\"annotations\":{\"nerdctl/name\":\"b\"}}";
	static char text[4096];

	/* all beginnings, and each byte another one */
	for (size_t len = 0; len < sizeof(good); len++) {
		memcpy(text + sizeof(text) - len, good, len);
		ck_assert_int_eq(container_names_parse(text + sizeof(text) - len, len, &found), 0);
	}
	for (size_t i = 0; i < sizeof(good) - 1; i++)
		for (int byte = 0; byte < 256; byte++) {
			memcpy(text, good, sizeof(good));
			text[i] = (char)byte;
			ck_assert_int_eq(container_names_parse(text, sizeof(good) - 1, &found), 0);
		}
	EXPECT("", "");
	EXPECT("{\"Name", "");
	EXPECT("{\"Name\":\"a", "");
	EXPECT("{\"Name\":\"\\", "");
	EXPECT("{\"Name\":\"\\u12", "");
	EXPECT("{\"Name\":\"\\x\"}", "");
	EXPECT("}}}}{\"Name\":\"a\"}", "");
	EXPECT("\x7f"
	       "ELF{\"Name\":\"a\"}",
	       "");
	/* too deep */
	memset(text, '[', sizeof(text));
	ck_assert_int_eq(json_members_visit(text, sizeof(text), NULL, NULL), -EBADMSG);
	/* long names and keys */
	memset(text, 'n', sizeof(text));
	memcpy(text, "{\"Name\":\"", 9);
	memcpy(text + sizeof(text) - 2, "\"}", 2);
	ck_assert_int_eq(container_names_parse(text, sizeof(text), &found), 0);
	ck_assert_uint_eq(found.nr, sizeof("container.name") + JSON_VALUE_BYTES);
	memcpy(text, "{\"nnnnnnn", 9);
	ck_assert_int_eq(container_names_parse(text, sizeof(text), &found), 0);
	ck_assert_uint_eq(found.nr, 0);
}
END_TEST

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

START_TEST(ids)
{
	static const char outer[] = "/docker-" ID ".scope/docker/" ID2 "/x";

	ck_assert_ptr_eq(container_id_find(outer), strstr(outer, ID2));
	ck_assert(container_id_find("/system.slice/docker-" ID ".scope"));
	ck_assert(container_id_find("/kubepods/pod1/" ID));
	ck_assert(!container_id_find("/machine.slice/libpod-conmon-" ID ".scope"));
	ck_assert(!container_id_find("/x/" ID "0"));
	ck_assert(!container_id_find("/x/0123456789abcdef"));
	ck_assert(!container_id_find(""));
}
END_TEST

START_TEST(unknown_containers)
{
	struct container_names names = {0};
	const char_vec *attributes;

	ck_assert_int_eq(container_names_find(&names, "/docker/" ID, &attributes), 0);
	ck_assert(attributes && !attributes->nr);
	ck_assert_int_eq(container_names_find(&names, "/docker/" ID, &attributes), 0);
	ck_assert_uint_eq(names.known.nr, 1);
	ck_assert_int_eq(container_names_find(&names, "/user.slice", &attributes), 0);
	ck_assert(!attributes);
	container_names_deinit(&names);
}
END_TEST

START_TEST(ids_without_end)
{
	struct container_names names = {0};
	const char_vec *attributes;
	char cgroup[CONTAINER_ID_DIGITS + 2];

	for (unsigned int i = 0; i < 2 * CONTAINERS_MAX; i++) {
		snprintf(cgroup, sizeof(cgroup), "/%0*x", CONTAINER_ID_DIGITS, i);
		ck_assert_int_eq(container_names_find(&names, cgroup, &attributes), 0);
	}
	ck_assert(!attributes);
	ck_assert_uint_eq(names.known.nr, CONTAINERS_MAX / 2);
	container_names_deinit(&names);
}
END_TEST

SUITE_MAIN_WITH("container_names", NULL, teardown, engines, places, escapes, hostile, ids,
		unknown_containers, ids_without_end)
