// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/label_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/suite.h"

static struct label_keys keys;

START_TEST(names)
{
	ck_assert_int_eq(label_keys_parse("tenant", &keys), 0);
	ck_assert(keys.are_chosen && keys.nr == 1 && !strcmp(keys.names[0], "tenant"));
	ck_assert_int_eq(label_keys_parse("http.route,tenant", &keys), 0);
	ck_assert(keys.nr == 2 && !strcmp(keys.names[0], "http.route"));
	ck_assert_uint_eq(label_keys_find(&keys, "tenantX", 6), 1);
	ck_assert_uint_eq(label_keys_find(&keys, "tenantX", 7), 2);
	ck_assert_int_eq(label_keys_parse("none", &keys), 0);
	ck_assert(keys.are_chosen && !keys.nr);
	ck_assert_int_eq(label_keys_parse("none,1", &keys), 0);
	ck_assert_uint_eq(keys.nr, 2);
}
END_TEST

START_TEST(refused)
{
	static const char *const texts[] = {
		"", ",", "a,", ",a", "a,,b", "a,b,a", "a,b,c,d,e,f,g,h,i",
		/* 64 bytes */
		"0123456789012345678901234567890123456789012345678901234567890123"};

	label_keys_parse("kept", &keys);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_int_eq(label_keys_parse(texts[i], &keys), -EINVAL);
	ck_assert_str_eq(keys.names[0], "kept");
	ck_assert_int_eq(label_keys_parse("a,b,c,d,e,f,g,h", &keys), 0);
	ck_assert_int_eq(label_keys_parse(texts[7] + 1, &keys), 0);
}
END_TEST

START_TEST(described)
{
	struct label_name found[LABEL_KEYS_MAX];
	static const struct label_name none;

	label_keys_parse("tenant,http.route", &keys);
	label_keys_describe(&keys, found);
	ck_assert_uint_eq(found[0].length, 6);
	ck_assert_mem_eq(found[0].words, "tenant\0\0", 8);
	ck_assert_uint_eq(found[1].length, 10);
	ck_assert_mem_eq(found[1].words, "http.route\0\0\0\0\0", 16);
	ck_assert_mem_eq(&found[2], &none, sizeof(none));
}
END_TEST

SUITE_MAIN("label_keys", names, refused, described)
