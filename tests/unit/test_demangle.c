// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/demangle/demangle.h"
#include "report/demangle/short_name.h"
#include "tests/unit/suite.h"

static void expect(const char *name, const char *want)
{
	char *text = NULL;

	ck_assert_int_eq(demangle_name(name, strlen(name), DEMANGLE_FULL, &text), 0);
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
	expect("_ZNSolsEi@plt", "std::ostream::operator<<(int)@plt");
	expect("puts@plt", NULL);
	expect("@plt", NULL);
}
END_TEST

START_TEST(dlang)
{
	expect("_D3std5stdio__T7writelnTiZQlFNfiZv", "std.stdio.writeln!(int).writeln(int)");
	expect("_Dmain", NULL);
	expect("_Debug", NULL);
	expect("_D3", NULL);
}
END_TEST

static void expect_short(const char *name, const char *want)
{
	char *text = NULL;

	ck_assert_int_eq(demangle_name(name, strlen(name), DEMANGLE_SHORT, &text), 0);
	ck_assert_pstr_eq(text, want);
	free(text);
}

START_TEST(short_names)
{
	expect_short("main", NULL);
	expect_short("main.c", NULL);
	expect_short("v1.2", NULL);
	expect_short("work.cold", "work");
	expect_short("work.part.0", "work");
	expect_short("work.constprop.0.isra.12.cold", "work");
	expect_short("work.llvm.1234567", "work");
	expect_short(".cold", NULL);
	expect_short("work.cold@plt", "work@plt");
	expect_short("_ZN3foo3barEiPKc", "foo::bar");
	expect_short("_ZN3foo3barEiPKc.cold", "foo::bar");
	expect_short("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back");
	expect_short("_ZNSolsEi@plt", "std::ostream::operator<<@plt");
	expect_short("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<");
	expect_short("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo");
	expect_short("_ZNK1aclEi", "a::operator()");
	expect_short("_ZN1acvSt6vectorIiSaIiEEEv", "a::operator std::vector");
	expect_short("_ZZ4mainENKUliE_clEi", "main::{lambda#1}::operator()");
	expect_short("_ZZ3fooIiEvT_ENKUlvE_clEv", "foo::{lambda#1}::operator()");
	expect_short("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect_short("_RINvNtCs1234_7mycrate3foo3barlE", "mycrate::foo::bar");
	expect_short("_RNvXCs1234_1aINtB2_3FoolENtB2_3Bar3run", "<a::Foo as a::Bar>::run");
	expect_short("_D3std5stdio__T7writelnTiZQlFNfiZv", "std.stdio.writeln.writeln");
	expect_short("_Zfoo", NULL);
}
END_TEST

static void expect_text(const char *text, const char *want)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	short_name_make(copy);
	ck_assert_str_eq(copy, want);
}

START_TEST(name_with_nul)
{
	char *text = NULL;

	ck_assert_int_eq(demangle_name("\0work.cold", 10, DEMANGLE_SHORT, &text), 0);
	ck_assert_ptr_null(text);
	ck_assert_int_eq(demangle_name("_Z3fo\0v", 8, DEMANGLE_FULL, &text), 0);
	ck_assert_ptr_null(text);
}
END_TEST

/* Texts that libiberty does not make, or hardly ever. */
START_TEST(short_texts)
{
	expect_text("", "");
	expect_text("a<", "a<");
	expect_text("a<b", "a<b");
	expect_text("a(b", "a(b");
	expect_text("a<(b>", "a<(b>");
	expect_text("<", "<");
	expect_text(">(", ">(");
	expect_text("operator", "operator");
	expect_text("operator< <int>", "operator<");
	expect_text("operator-><int>", "operator->");
	expect_text("a<(b<c)>::d", "a::d");
	expect_text("a<b->c>::d", "a::d");
	expect_text("f::<T>", "f");
	expect_text("::<T>", "");
	expect_text("f(int) [clone .x]", "f");
	expect_text("<fn(A) -> B as C<D>>::e", "<fn -> B as C>::e");
	expect_text("cooperator<T>()", "cooperator");
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
	ck_assert_int_eq(demangle_name(nested, 15000, DEMANGLE_FULL, &text),
			 0); /* too deep or not: it returns */
	free(text);
	text = NULL;
	memset(nested, 'P', 15000);
	memcpy(nested, "_RINvC1a1b", 10);
	ck_assert_int_eq(demangle_name(nested, 15000, DEMANGLE_FULL, &text), 0);
	free(text);
	free(nested);
}
END_TEST

SUITE_MAIN("demangle", cplusplus, rust, dlang, short_names, short_texts, name_with_nul, left_alone,
	   bombs)
