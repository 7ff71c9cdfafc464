// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/demangle/lasting_name.h"

#include <ctype.h>
#include <string.h>

#include "common/cleanup.h"

/* Fewest digits of an address; a shorter number may be part of the name that its author chose. */
#define ADDRESS_DIGITS_MIN 8

/*
 * Behind @mark, what matches @dropped goes, unless a letter, a digit or an underscore follows. A
 * mark that begins with ^ counts only at the beginning of the name or of a word in it. In @dropped,
 * # stands for decimal digits, % for hexadecimal ones, & for those of an address, @ for letters and
 * digits, and * for everything up to "::" or the end.
 */
struct row {
	const char *mark, *dropped;
	struct lasting_name_example example;
};

static const struct row rows[] = {
	/* HotSpot: lambdas, other hidden classes, forms of method handles, reflection, proxies. */
	{"$$Lambda", "$#", {"Shop$$Lambda$39+0x00007ff4dc008ee0.run", "Shop$$Lambda.run"}},
	{"$$Lambda", "/#", {"Shop$$Lambda$17/931919113.run", "Shop$$Lambda.run"}},
	{"", "+0x&", {"LambdaForm$MH+0x00007ff4dc008ee0.invoke", "LambdaForm$MH.invoke"}},
	{"", "/0x&", {"Shop$$Lambda/0x00007f2e54001458.run", "Shop$$Lambda.run"}},
	{"LambdaForm$MH", "/#", {"LambdaForm$MH/1349414238.invoke", "LambdaForm$MH.invoke"}},
	{"LambdaForm$DMH", "/#", {"LambdaForm$DMH/78204644.invoke", "LambdaForm$DMH.invoke"}},
	{"^GeneratedMethodAccessor",
	 "#",
	 {"GeneratedMethodAccessor12.invoke", "GeneratedMethodAccessor.invoke"}},
	{"^GeneratedConstructorAccessor",
	 "#",
	 {"GeneratedConstructorAccessor3.newInstance", "GeneratedConstructorAccessor.newInstance"}},
	{"^GeneratedSerializationConstructorAccessor",
	 "#",
	 {"GeneratedSerializationConstructorAccessor7.newInstance",
	  "GeneratedSerializationConstructorAccessor.newInstance"}},
	{"$Proxy", "#", {"$Proxy12.save", "$Proxy.save"}},
	{"^jdk.proxy", "#", {"jdk.proxy2.$Proxy12.save", "jdk.proxy.$Proxy.save"}},
	/*
	 * Classes that libraries of Java make: Spring, Byte Buddy, Mockito, Hibernate, Javassist.
	 */
	{"CGLIB",
	 "$$%",
	 {"Shop$$EnhancerBySpringCGLIB$$1a2b3c4d.buy", "Shop$$EnhancerBySpringCGLIB.buy"}},
	{"$ByteBuddy", "$@", {"Shop$ByteBuddy$aBc12dEf.buy", "Shop$ByteBuddy.buy"}},
	{"$MockitoMock", "$#", {"Shop$MockitoMock$1893746.buy", "Shop$MockitoMock.buy"}},
	{"$HibernateProxy", "$@", {"Shop$HibernateProxy$x7Yz01Ab.buy", "Shop$HibernateProxy.buy"}},
	{"_$$_javassist", "_#", {"Shop_$$_javassist_12.buy", "Shop_$$_javassist.buy"}},
	{"_$$_jvst", "%_%", {"Shop_$$_jvst4c3_0.buy", "Shop_$$_jvst.buy"}},
	/* Clang: functions that LTO has made global, static ones by
	 * -funique-internal-linkage-names.
	 */
	{"", " [clone .llvm.#]", {"shop::buy(int) [clone .llvm.1128]", "shop::buy(int)"}},
	{"",
	 " [clone .__uniq.#]",
	 {"shop::buy() [clone .__uniq.23] [clone .cold]", "shop::buy() [clone .cold]"}},
	{"", ".llvm.#", {"parse.llvm.11287356478", "parse"}},
	{"", ".__uniq.#", {"parse.__uniq.23462340963.cold", "parse.cold"}},
	/* PHP: classes without a name, as PHP prints them; traces of its JIT compiler. */
	{"@anonymous", "?*", {"class@anonymous?/srv/a.php:141$6::run", "class@anonymous::run"}},
	{"^TRACE", "-#", {"TRACE-12$Shop::buy$34", "TRACE$Shop::buy$34"}},
	/* Names in perf maps: LuaJIT, PostgreSQL, expressions of .NET. */
	{"^TRACE", "_#", {"TRACE_12::shop.lua:34", "TRACE::shop.lua:34"}},
	{"^evalexpr", "_#_#", {"evalexpr_3_14", "evalexpr"}},
	{"^deform", "_#_#", {"deform_0_2", "deform"}},
	{"^lambda_method", "#", {"lambda_method27(Closure)", "lambda_method(Closure)"}},
};

const struct lasting_name_example *lasting_name_example(size_t i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i].example : NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int is_address_digit(int c)
{
	return isdigit(c) || (c >= 'a' && c <= 'f');
}

/* Counts the characters at the start of [s, end) that @is_kind says. */
static size_t count_kind(const char *s, const char *end, int (*is_kind)(int))
{
	size_t nr = 0;

	while (s + nr < end && is_kind((unsigned char)s[nr]))
		nr++;
	return nr;
}

/* The bytes at @s that the character @c of a pattern stands for; 0: others. */
static size_t match_one(char c, const char *s, const char *end)
{
	const char *next;
	size_t nr;

	switch (c) {
	case '#':
		return count_kind(s, end, isdigit);
	case '%':
		return count_kind(s, end, isxdigit);
	case '@':
		return count_kind(s, end, isalnum);
	case '&':
		nr = count_kind(s, end, is_address_digit);
		return nr >= ADDRESS_DIGITS_MIN ? nr : 0;
	case '*':
		next = memmem(s, end - s, "::", 2);
		return (next ? next : end) - s;
	default:
		return s < end && *s == c;
	}
}

/* The bytes at @s that go by @row; 0: none. */
static size_t match_dropped(const struct row *row, const char *s, const char *end)
{
	const char *at = s;

	for (const char *c = row->dropped; *c; c++) {
		size_t nr = match_one(*c, at, end);

		if (!nr)
			return 0;
		at += nr;
	}
	return at < end && is_word(*at) ? 0 : at - s;
}

/* Removes by @row from [name, end) what it says, and returns the new end. */
static char *apply_row(const struct row *row, char *name, char *end)
{
	bool is_at_begin = *row->mark == '^';
	const char *mark = row->mark + is_at_begin, *first = *mark ? mark : row->dropped;
	size_t len = strlen(mark), nr_first = *mark ? len : strcspn(first, "#%&@*");
	char *from = name, *to = name, *found;

	while ((found = memmem(from, end - from, first, nr_first))) {
		char *behind = found + len;
		bool may_be = !is_at_begin || found == name || !is_word(found[-1]);
		size_t nr = may_be && behind > name ? match_dropped(row, behind, end) : 0;
		/* Without a match, the search goes on after the first character. */
		char *kept = nr ? behind : found + 1;

		memmove(to, from, kept - from);
		to += kept - from;
		from = kept + nr;
	}
	memmove(to, from, end - from);
	return to + (end - from);
}

/*
 * Returns the place where the @nr numbers behind underscores begin that end [name, end), or @end.
 */
static char *numbers_at_end(char *name, char *end, int nr)
{
	char *at = end;

	for (int i = 0; i < nr; i++) {
		char *digits = at;

		while (digits > name && isdigit((unsigned char)digits[-1]))
			digits--;
		if (digits == at || digits == name || *--digits != '_')
			return end;
		at = digits;
	}
	return at;
}

static bool has_end(const char *name, const char *end, const char *suffix)
{
	size_t len = strlen(suffix);

	return (size_t)(end - name) > len && !memcmp(end - len, suffix, len);
}

/*
 * OCaml's compilers append a stamp to the name of each function, which other functions of the file
 * change: camlShop__buy_271, since 5.1 camlShop.buy_271, and camlShop__buy_0_1_code by flambda. The
 * functions without a name of a file have nothing else that tells them apart.
 */
static char *drop_stamp(char *name, char *end)
{
	static const char code[] = "_code";
	bool is_code = has_end(name, end, code);
	char *at = is_code ? numbers_at_end(name, end - strlen(code), 2)
			   : numbers_at_end(name, end, 1);

	if (end - name < 6 || memcmp(name, "caml", 4) != 0 || !isupper((unsigned char)name[4]))
		return end;
	if (is_code && at == end - strlen(code))
		return end;
	if (has_end(name, at, "__") || has_end(name, at, ".") || has_end(name, at, "__fun") ||
	    has_end(name, at, ".fun") || has_end(name, at, "]"))
		return end;
	return memmem(name, at - name, "__", 2) || memchr(name, '.', at - name) ? at : end;
}

bool lasting_name_may_change(const char *name, size_t len)
{
	/* Mangled names are most of those in large programs. */
	if (len > 2 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (isdigit((unsigned char)name[i]) || name[i] == '@')
			return true;
	return false;
}

bool lasting_name_make(char *name, size_t *len)
{
	char *end = name + *len;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		end = apply_row(&rows[i], name, end);
	end = drop_stamp(name, end);
	if (end == name + *len)
		return false;
	*len = end - name;
	return true;
}
