// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/pattern.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/suite.h"

static struct pattern p;
static struct err err;

static void end(void)
{
	pattern_deinit(&p);
}

static int parse(const char *text, bool is_regex, const char *library)
{
	const struct pattern_rules rules = {.is_regex = is_regex, .library = library};

	pattern_deinit(&p);
	err = (struct err){0};
	return pattern_parse(text, &rules, &p, &err);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

START_TEST(forms)
{
	static const struct {
		const char *text, *library;
		enum pattern_kind kind;
		const char *place, *provider, *name;
	} cases[] = {
		{"submit_bio", NULL, PATTERN_KERNEL, NULL, NULL, "submit_bio"},
		{"p::submit_bio", NULL, PATTERN_KERNEL, NULL, NULL, "submit_bio"},
		{"tcp_send*", NULL, PATTERN_KERNEL, NULL, NULL, "tcp_send*"},
		{"malloc", "c", PATTERN_USER, "c", NULL, "malloc"},
		{"c:malloc", NULL, PATTERN_EITHER, "c", NULL, "malloc"},
		{"sched:sched_switch", NULL, PATTERN_EITHER, "sched", NULL, "sched_switch"},
		{"p:c:malloc", NULL, PATTERN_USER, "c", NULL, "malloc"},
		{"/bin/app:main", NULL, PATTERN_USER, "/bin/app", NULL, "main"},
		{"./app:ns::run", NULL, PATTERN_USER, "./app", NULL, "ns::run"},
		{"p:app:ns::run", NULL, PATTERN_USER, "app", NULL, "ns::run"},
		{"t:block:*", NULL, PATTERN_TRACEPOINT, "block", NULL, "*"},
		{"u:pthread:pthread_create", NULL, PATTERN_USDT, "pthread", NULL, "pthread_create"},
		{"u:node:http:*", NULL, PATTERN_USDT, "node", "http", "*"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_msg(!parse(cases[i].text, false, cases[i].library), "%s: %s",
			      cases[i].text, err.text);
		ck_assert_int_eq(p.kind, cases[i].kind);
		ck_assert_msg(is_same(p.place.text, cases[i].place), "%s", cases[i].text);
		ck_assert_msg(is_same(p.provider.text, cases[i].provider), "%s", cases[i].text);
		ck_assert_msg(is_same(p.name.text, cases[i].name), "%s", cases[i].text);
		ck_assert(!p.has_offset);
	}
}
END_TEST

START_TEST(offsets)
{
	ck_assert_int_eq(parse("/bin/app:0x11c0", false, NULL), 0);
	ck_assert(p.has_offset);
	ck_assert_uint_eq(p.offset, 0x11c0);
	ck_assert_int_eq(parse("app:0xfff", false, NULL), 0);
	ck_assert(p.has_offset);
	ck_assert_int_eq(p.kind, PATTERN_USER);
	ck_assert_int_eq(parse("app:0x", false, NULL), 0);
	ck_assert(!p.has_offset);
	ck_assert_int_eq(parse("app:0x12g", false, NULL), 0);
	ck_assert(!p.has_offset);
	ck_assert_int_eq(parse("app:0x10000000000000000", false, NULL), 0);
	ck_assert(!p.has_offset);
	ck_assert_int_eq(parse("t:app:0x10", false, NULL), 0);
	ck_assert(!p.has_offset);
}
END_TEST

START_TEST(refusals)
{
	static const struct {
		const char *text, *words;
		bool is_regex;
	} cases[] = {
		{"", "option -e/--event: a part of pattern '' is empty", false},
		{"c:", "option -e/--event: a part of pattern 'c:' is empty", false},
		{":malloc", "option -e/--event: a part of pattern ':malloc' is empty", false},
		{"p::", "option -e/--event: a part of pattern 'p::' is empty", false},
		{"t::x", "option -e/--event: a part of pattern 't::x' is empty", false},
		{"u:c:p:", "option -e/--event: a part of pattern 'u:c:p:' is empty", false},
		{"x:c:malloc",
		 "option -e/--event: the type of pattern 'x:c:malloc' is not p, t or u, but 'x'",
		 false},
		{"p:c:malloc:x", "option -e/--event: pattern 'p:c:malloc:x' has too many parts",
		 false},
		{"lib:a:b", "option -e/--event: pattern 'lib:a:b' has too many parts", false},
		{"u:a:b:c:d", "option -e/--event: pattern 'u:a:b:c:d' has too many parts", false},
		{"c:mal(loc",
		 "option -e/--event: 'mal(loc' in pattern 'c:mal(loc' is no regular expression: Unmatched ( or \\(",
		 true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(parse(cases[i].text, cases[i].is_regex, NULL), -EINVAL);
		ck_assert_str_eq(err.text, cases[i].words);
	}
}
END_TEST

START_TEST(words_of_bpftrace)
{
	static const struct {
		const char *text, *translated;
	} cases[] = {
		{"kprobe:vfs_read", "p::vfs_read"},
		{"fentry:vfs_*", "p::vfs_*"},
		{"uprobe:/bin/bash:readline", "p:/bin/bash:readline"},
		{"uprobe:c:malloc", "p:c:malloc"},
		{"usdt:/bin/app:ours:first", "u:/bin/app:ours:first"},
		{"tracepoint:sched:sched_switch", "t:sched:sched_switch"},
		{"software:page-faults", "page-faults"},
		{"hardware:cycles", "cycles"},
		{"kprobes:vfs_read", NULL},
		{"sched:sched_switch", NULL},
		{"kprobe", NULL},
		{"", NULL},
	};
	char *translated;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(pattern_translate(cases[i].text, &translated, &err), 0);
		ck_assert_msg(is_same(translated, cases[i].translated), "%s", cases[i].text);
		free(translated);
	}
	ck_assert_int_eq(pattern_translate("uretprobe:c:malloc", &translated, &err), -EINVAL);
	ck_assert_str_eq(
		err.text,
		"failed to find 'uretprobe:c:malloc': returns of functions are not counted");
	ck_assert_str_eq(err.hint, "'uprobe:c:malloc' counts the calls");
	ck_assert_int_eq(pattern_translate("kretprobe:vfs_read", &translated, &err), -EINVAL);
	ck_assert_str_eq(err.hint, "'kprobe:vfs_read' counts the calls");
	ck_assert_int_eq(pattern_translate("fexit:vfs_read", &translated, &err), -EINVAL);
	ck_assert_str_eq(err.hint, "'kprobe:vfs_read' counts the calls");
}
END_TEST

static bool matches(const char *pattern, bool is_regex, const char *name)
{
	ck_assert_int_eq(parse(pattern, is_regex, NULL), 0);
	return name_matches(&p.name, name);
}

START_TEST(wildcards)
{
	ck_assert(matches("malloc", false, "malloc"));
	ck_assert(!matches("malloc", false, "mallocx"));
	ck_assert(!matches("malloc", false, "xmalloc"));
	ck_assert(matches("*", false, ""));
	ck_assert(matches("*alloc*", false, "realloc_x"));
	ck_assert(matches("a*b*c", false, "abbbc"));
	ck_assert(matches("a*bc", false, "abcbc"));
	ck_assert(!matches("a*bc", false, "abcb"));
	/* Other characters mean themselves. */
	ck_assert(!matches("m.lloc", false, "malloc"));
	ck_assert(matches("a[0]", false, "a[0]"));
	ck_assert(!name_has_wildcards(&p.name));
	ck_assert(matches("tcp_*", false, "tcp_sendmsg"));
	ck_assert(name_has_wildcards(&p.name));
}
END_TEST

START_TEST(regular_expressions)
{
	ck_assert(matches("tcp_(send|recv)msg", true, "tcp_sendmsg"));
	ck_assert(!matches("tcp_(send|recv)msg", true, "tcp_sendmsg_locked"));
	ck_assert(!matches("send", true, "tcp_send"));
	ck_assert(matches("^tcp_send.*", true, "tcp_sendmsg"));
	ck_assert(matches("a|b", true, "b"));
	ck_assert(!matches("a|b", true, "bx"));
}
END_TEST

SUITE_MAIN_WITH("pattern", NULL, end, forms, words_of_bpftrace, offsets, refusals, wildcards,
		regular_expressions)
