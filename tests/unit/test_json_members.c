// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/json_members.h"

#include <errno.h>

#include "tests/unit/suite.h"

/* What was handed over, a line each: object, key and value. */
static char taken[16384];
static int end_with; /* what the first one returns */

static int take(void *ctx, const char *outer, const char *key, const char *value)
{
	const size_t nr = strlen(taken);

	ck_assert_ptr_eq(ctx, taken);
	ck_assert_int_lt(snprintf(taken + nr, sizeof(taken) - nr, "%s.%s=%s\n", outer, key, value),
			 sizeof(taken) - nr);
	return end_with;
}

static int visit_bytes(const char *json, size_t len)
{
	/* Behind the text are digits, with which an escape would go on. */
	static char copy[16384];

	ck_assert_uint_le(len + 16, sizeof(copy));
	memcpy(copy, json, len);
	memset(copy + len, '0', 16);
	taken[0] = '\0';
	return json_members_visit(copy, len, take, taken);
}

static int visit(const char *json)
{
	return visit_bytes(json, strlen(json));
}

static void expect(const char *json, const char *want)
{
	ck_assert_msg(!visit(json), "%s", json);
	ck_assert_str_eq(taken, want);
}

/* What stands before the damage is handed over. */
static void expect_damage(const char *json, const char *want)
{
	ck_assert_msg(visit(json) == -EBADMSG, "%s", json);
	ck_assert_str_eq(taken, want);
}

START_TEST(texts_of_members)
{
	expect("", "");
	expect("{}", "");
	expect("{\"a\":\"b\"}", ".a=b\n");
	expect(" {\t\"a\" :\r\n\"b\" , \"c\":\"d\"} ", ".a=b\n.c=d\n");
	expect("{\"o\":{\"a\":\"b\",\"c\":\"d\"},\"e\":\"f\"}", "o.a=b\no.c=d\n.e=f\n");
	expect("{\"o\":{\"a\":\"b\"},\"p\":{\"a\":\"c\"}}", "o.a=b\np.a=c\n");
	/* The latest key is the one of the value. */
	expect("{\"o\":{},\"p\":\"a\"}", ".p=a\n");
}
END_TEST

START_TEST(other_values)
{
	expect("{\"a\":1,\"b\":-2.5e+7,\"c\":true,\"d\":false,\"e\":null,\"f\":\"g\"}", ".f=g\n");
	expect("{\"a\":\"\",\"b\":\"c\"}", ".b=c\n");
	expect("\"a\"", "");
	expect("[\"a\",\"b\"]", "");
	expect("{\"a\":[\"b\",\"c\"],\"d\":\"e\"}", ".d=e\n");
	expect("{\"a\":[{\"b\":\"c\"}],\"d\":\"e\"}", ".d=e\n");
	expect("[{\"b\":\"c\"}]", "");
	expect("{\"a\":{\"b\":[\"c\"],\"d\":\"e\"}}", "a.d=e\n");
	/* Deeper members are nobody's. */
	expect("{\"a\":{\"b\":{\"c\":\"d\"},\"e\":\"f\"},\"g\":\"h\"}", "a.e=f\n.g=h\n");
	expect("{\"a\":{\"b\":{\"c\":{\"d\":\"e\"}}}}", "");
	/* In an array nothing has a name, and what is not in the first object is not its. */
	expect("[\"a\":\"b\"]", "");
	expect("{\"a\":\"b\"}[{\"c\":\"d\"}]", ".a=b\n");
	/* An object without a name is not the text's own. */
	expect("{\"\":{\"a\":\"b\"}}", "");
	expect("{\"\":\"b\"}", ".=b\n");
}
END_TEST

START_TEST(escapes)
{
	expect("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", ".a=\"\\/\b\f\n\r\t\n");
	expect("{\"\\u0061\":\"\\u007f\\u0080\\u07ff\\u0800\\uFFFF\"}",
	       ".a=\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\n");
	expect("{\"a\":\"\\ud800\\udc00\\udbff\\uDFFF\"}", ".a=\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\n");
	expect("{\"a\":\"\\u12aB\\ud834\\udd1e\"}", ".a=\xe1\x8a\xab\xf0\x9d\x84\x9e\n");
	expect("{\"a\":\"\\ud7ff\\ue000\"}", ".a=\xed\x9f\xbf\xee\x80\x80\n");
}
END_TEST

/* Half a character is replaced; what follows it stays. */
START_TEST(halves_of_characters)
{
	expect("{\"a\":\"\\ud800\"}", ".a=\xef\xbf\xbd\n");
	expect("{\"a\":\"\\udc00b\"}", ".a=\xef\xbf\xbd"
				       "b\n");
	expect("{\"a\":\"\\udfff\\udc00\"}", ".a=\xef\xbf\xbd\xef\xbf\xbd\n");
	expect("{\"a\":\"\\ud800bcdefgh\"}", ".a=\xef\xbf\xbd"
					     "bcdefgh\n");
	expect("{\"a\":\"\\ud800\\ncdefg\"}", ".a=\xef\xbf\xbd\ncdefg\n");
	expect("{\"a\":\"\\ud800\\u0062\"}", ".a=\xef\xbf\xbd\n");
	expect("{\"a\":\"\\ud800\\u0000\"}", ".a=\xef\xbf\xbd\n");
	expect("{\"a\":\"\\ud800\\udbff\"}", ".a=\xef\xbf\xbd\n");
	expect("{\"a\":\"\\ud800\\ue000\"}", ".a=\xef\xbf\xbd\n");
	expect_damage("{\"a\":\"\\ud800\\u00x0\"}", "");
}
END_TEST

/* A text with a NUL is none, wherever it has it. */
START_TEST(texts_with_a_nul)
{
	static const char raw[] = "{\"a\":\"b\0c\",\"d\":\"e\"}", outside[] = "{\"a\":\"b\",\0}";

	expect("{\"a\":\"b\\u0000\",\"c\":\"\\u0000d\",\"e\":\"f\"}", ".e=f\n");
	expect("{\"a\\u0000\":{\"b\":\"c\"}}", "");
	ck_assert_int_eq(visit_bytes(raw, sizeof(raw) - 1), 0);
	ck_assert_str_eq(taken, ".d=e\n");
	ck_assert_int_eq(visit_bytes(outside, sizeof(outside) - 1), -EBADMSG);
	ck_assert_str_eq(taken, ".a=b\n");
}
END_TEST

START_TEST(damage)
{
	static const char *const escapes_that_are_none[] = {"\\x",     "\\",      "\\u",
							    "\\u123",  "\\u12g4", "\\ug234",
							    "\\u123g", "\\U0041", "\\u 123"};
	char json[64];

	expect_damage("{", "");
	expect_damage("}", "");
	expect_damage("[", "");
	expect_damage("{}}", "");
	expect_damage("}{", "");
	expect_damage("{\"a\":\"b\"", ".a=b\n");
	expect_damage("{\"a\":\"b", "");
	expect_damage("{\"a", "");
	expect_damage("{\"a\":\"b\",x}", ".a=b\n");
	expect_damage("{\"a\":\"b\"}\xc3", ".a=b\n");
	for (size_t i = 0; i < ARRAY_SIZE(escapes_that_are_none); i++) {
		snprintf(json, sizeof(json), "{\"a\":\"%s\"}", escapes_that_are_none[i]);
		expect_damage(json, "");
		snprintf(json, sizeof(json), "{\"a\":\"%s", escapes_that_are_none[i]);
		expect_damage(json, "");
	}
	for (size_t i = 1; i < 20; i++)
		ck_assert_int_eq(visit_bytes("{\"a\":\"\\ud834\\udd1e\"}", i), -EBADMSG);
}
END_TEST

/* Keys and values are cut between two characters, so that they have room for the NUL. */
START_TEST(long_texts)
{
	char text[JSON_VALUE_BYTES + 8], json[4 * sizeof(text)], want[4 * sizeof(text)];
	const size_t sizes[] = {JSON_KEY_BYTES, JSON_VALUE_BYTES};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const char *const form = i ? "{\"o\":{\"a\":\"%s\"}}" : "{\"o\":{\"%s\":\"b\"}}";
		const char *const form_wanted = i ? "o.a=%s\n" : "o.%s=b\n";

		for (size_t nr = sizes[i] - 2; nr <= sizes[i] + 1; nr++) {
			memset(text, 'x', nr);
			text[nr] = '\0';
			snprintf(json, sizeof(json), form, text);
			text[nr < sizes[i] ? nr : sizes[i] - 1] = '\0';
			snprintf(want, sizeof(want), form_wanted, text);
			expect(json, want);
		}
		/* A character of two bytes has no room, and nothing comes after it. */
		memset(text, 'x', sizes[i] - 2);
		strcpy(text + sizes[i] - 2, "\\u0080y");
		snprintf(json, sizeof(json), form, text);
		text[sizes[i] - 2] = '\0';
		snprintf(want, sizeof(want), form_wanted, text);
		expect(json, want);
	}
	/* Nor does a character that would have room, after one that had none. */
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	snprintf(json, sizeof(json), "{\"a\":\"%s\",\"c\":\"d\"}", text);
	text[JSON_VALUE_BYTES - 1] = '\0';
	snprintf(want, sizeof(want), ".a=%s\n.c=d\n", text);
	expect(json, want);
	/* So is the name of an object. */
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	snprintf(json, sizeof(json), "{\"%s\":{\"a\":\"b\"}}", text);
	text[JSON_KEY_BYTES - 1] = '\0';
	snprintf(want, sizeof(want), "%s.a=b\n", text);
	expect(json, want);
	/* A deep key, which nobody asks for, may be long, too, and hides no other. */
	text[JSON_KEY_BYTES - 1] = 'x';
	snprintf(json, sizeof(json), "{\"a\":{\"b\":{\"%s\":\"c\"},\"d\":\"e\"}}", text);
	expect(json, "a.d=e\n");
}
END_TEST

/* 63 values may be open at a time. */
START_TEST(depth)
{
	char json[200];

	for (size_t nr = 62; nr <= 64; nr++) {
		memset(json, '[', nr);
		memset(json + nr, ']', nr);
		json[2 * nr] = '\0';
		ck_assert_int_eq(visit(json), nr <= 63 ? 0 : -EBADMSG);
	}
	/* Whatever was open deep inside, the object is still one. */
	memcpy(json, "{\"o\":", 5);
	memset(json + 5, '[', 62);
	memset(json + 67, ']', 62);
	strcpy(json + 129, ",\"a\":\"b\"}");
	expect(json, ".a=b\n");
}
END_TEST

START_TEST(a_visit_that_ends)
{
	end_with = 7;
	ck_assert_int_eq(visit("{\"a\":\"b\",\"c\":\"d\"}"), 7);
	ck_assert_str_eq(taken, ".a=b\n");
	ck_assert_int_eq(visit("{\"o\":{\"a\":\"b\",\"c\":\"d\"}}"), 7);
	ck_assert_str_eq(taken, "o.a=b\n");
}
END_TEST

SUITE_MAIN("json_members", texts_of_members, other_values, escapes, halves_of_characters,
	   texts_with_a_nul, damage, long_texts, depth, a_visit_that_ends)
