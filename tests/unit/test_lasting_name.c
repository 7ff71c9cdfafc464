// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/demangle/lasting_name.h"

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

static const char *lasting(const char *name)
{
	static char text[256];
	size_t len = strlen(name);

	memcpy(text, name, len + 1);
	ck_assert_int_eq(lasting_name_make(text, &len), len != strlen(name));
	ck_assert(len == strlen(name) || lasting_name_may_change(name, strlen(name)));
	text[len] = '\0';
	return text;
}

START_TEST(examples)
{
	const struct lasting_name_example *example;
	size_t i = 0;

	for (; (example = lasting_name_example(i)); i++) {
		ck_assert_str_eq(lasting(example->name), example->lasting);
		ck_assert_str_eq(lasting(example->lasting), example->lasting);
	}
	ck_assert_uint_gt(i, 20);
}
END_TEST

/* Names as their authors chose them. */
START_TEST(others)
{
	static const char *const names[] = {
		"",
		"main",
		"Shop$1.run",
		"Shop.lambda$main$0",
		"Shop$$anonfun$1.apply",
		"$$Lambda",
		"$Proxy12a.save",
		"Shop$$Lambda$x.run",
		"MyGeneratedMethodAccessor12.invoke",
		"std::vector<int>::push_back(int const&)",
		"memcpy@plt",
		"TRACE_12_more",
		"XTRACE_12",
		"offset+0x12",
		"+0x00007ff4dc008ee0",
		"evalexpr_1",
		"<module>",
		"Foo@anonymous::run",
		"_ZN3foo3barEv",
		"parse.llvm.",
		"parse.llvm.12a",
		"parse.llvm",
		"parse [clone .part.1]",
		"camlShop__entry",
		"camlShop__fun_271",
		"camlShop.fun_271",
		"camlShop.anon_fn[shop.ml:3,12--20]_271",
		"camlShop_271",
		"camlShop__271",
		"camlShop___271",
		"camlShop__buy_271_code",
		"caml_call_gc_271",
		"camlshop__buy_271",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		ck_assert_str_eq(lasting(names[i]), names[i]);
}
END_TEST

START_TEST(stamps)
{
	ck_assert_str_eq(lasting("camlShop__buy_271"), "camlShop__buy");
	ck_assert_str_eq(lasting("camlShop__Cart__buy_2_271"), "camlShop__Cart__buy_2");
	ck_assert_str_eq(lasting("camlShop.buy_271"), "camlShop.buy");
	ck_assert_str_eq(lasting("camlShop__buy_0_1_code"), "camlShop__buy");
	ck_assert_str_eq(lasting("camlShop__func_9"), "camlShop__func");
}
END_TEST

START_TEST(several_parts)
{
	ck_assert_str_eq(lasting("A$$Lambda$1+0x00007f994c001458.b$$Lambda$22"),
			 "A$$Lambda.b$$Lambda");
	ck_assert_str_eq(lasting("$Proxy1$Proxy2"), "$Proxy$Proxy");
	ck_assert_str_eq(lasting("a.__uniq.12.llvm.34"), "a");
	ck_assert_str_eq(lasting("a() [clone .__uniq.12] [clone .llvm.34]"), "a()");
	ck_assert_str_eq(lasting("class@anonymous?/a.php:1$0"), "class@anonymous");
	ck_assert_str_eq(lasting("Shop@anonymous?/a.php0x7f1234567890::a"), "Shop@anonymous::a");
}
END_TEST

/* Any bytes: a sanitizer sees reads beyond the end. Long names take no long time. */
START_TEST(hostile)
{
	static const char *const pieces[] = {"$$Lambda",   "$",          "12",    "+0x",
					     "abcdef0123", "@anonymous", "?",     "TRACE",
					     "_",          "::",         "CGLIB", "$$"};
	struct random rng = {.state = 3};
	size_t size = 60000, len = 0;
	char *name = malloc(size);

	while (len + 16 < size) {
		const char *piece = pieces[random_below(&rng, ARRAY_SIZE(pieces))];

		memcpy(name + len, piece, strlen(piece));
		len += strlen(piece);
	}
	lasting_name_make(name, &len);
	memset(name, '$', size);
	len = size;
	ck_assert(!lasting_name_make(name, &len));
	free(name);
}
END_TEST

SUITE_MAIN("lasting_name", examples, others, stamps, several_parts, hostile)
