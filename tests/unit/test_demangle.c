// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/demangle.h"
#include "tests/unit/suite.h"

static void expect(const char *name, const char *want)
{
	char *text = NULL;

	ck_assert_int_eq(demangle_name(name, strlen(name), &text), 0);
	if (want)
		ck_assert_str_eq(text, want);
	else
		ck_assert_msg(!text, "%s", text);
	free(text);
}

START_TEST(cplusplus)
{
	expect("_ZN3foo3barEiPKc", "foo::bar(int, char const*)");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_Z3fooi.cold", "foo(int) [clone .cold]");
	expect("___Z3foov", "foo()");
}
END_TEST

START_TEST(rust)
{
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
}
END_TEST

START_TEST(left_alone)
{
	expect("", NULL);
	expect("_", NULL);
	expect("main", NULL);
	expect("_start", NULL);
	expect("_Z", NULL);
	expect("_Zfoo", NULL);
	expect("_ZN3foo", NULL);
	expect("_R", NULL);
	expect("_Read", NULL);
	expect("__Z3foov", NULL);
}
END_TEST

/* The i-th substitution: S_, S0_, S1_, ..., SZ_, S10_, ... */
static const char *substitution(int i)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char text[8];

	if (i == 0)
		return "S_";
	if (i <= 36)
		snprintf(text, sizeof(text), "S%c_", digits[i - 1]);
	else
		snprintf(text, sizeof(text), "S%c%c_", digits[(i - 1) / 36], digits[(i - 1) % 36]);
	return text;
}

/* Each argument is A of the one before, twice: the text doubles with every few bytes. */
START_TEST(bombs)
{
	char name[2048] = "_Z1f1AIiE";
	char *nested, *text = NULL;

	for (int i = 1; i <= 60; i++) {
		strcat(name, "S_I");
		strcat(name, substitution(i));
		strcat(name, substitution(i));
		strcat(name, "E");
	}
	expect(name, NULL);
	nested = malloc(15001);
	memset(nested, 'P', 15000);
	memcpy(nested, "_Z1f", 4);
	nested[14999] = 'i';
	nested[15000] = '\0';
	ck_assert_int_eq(demangle_name(nested, 15000, &text), 0); /* too deep or not: it returns */
	free(text);
	text = NULL;
	memset(nested, 'P', 15000);
	memcpy(nested, "_RINvC1a1b", 10);
	ck_assert_int_eq(demangle_name(nested, 15000, &text), 0);
	free(text);
	free(nested);
}
END_TEST

SUITE_MAIN("demangle", cplusplus, rust, left_alone, bombs)
