// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions of a played kernel take probes. test_probe_sources.c has its texts in parts. */
#include "record/probes/kernel_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* The files of the kernel; NULL: cannot be opened. */
static struct {
	const char *kallsyms, *traceable, *older_traceable, *blacklist;
} kernel;

static struct kernel_functions found;

FILE *__wrap_fopen64(const char *path, const char *mode);

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	const struct {
		const char *path, *text;
	} files[] = {
		{"/proc/kallsyms", kernel.kallsyms},
		{"/sys/kernel/tracing/available_filter_functions", kernel.traceable},
		{"/sys/kernel/debug/tracing/available_filter_functions", kernel.older_traceable},
		{"/sys/kernel/debug/kprobes/blacklist", kernel.blacklist}};

	ck_assert_str_eq(mode, "re");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(path, files[i].path) && files[i].text)
			return fmemopen((void *)(uintptr_t)files[i].text, strlen(files[i].text),
					"r");
	errno = EACCES;
	return NULL;
}

static void begin(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.kallsyms = "ffffffff81000000 T tcp_one\n"
			  "ffffffff81000100 t tcp_two\n"
			  "ffffffff81000200 W tcp_three\n"
			  "ffffffff81000300 D tcp_data\n";
}

static void end(void)
{
	kernel_functions_deinit(&found);
}

static int try_find(const char *name, struct err *err)
{
	const struct pattern pattern = {.name.text = (char *)(uintptr_t)name};

	kernel_functions_deinit(&found);
	return kernel_functions_find(&pattern, &found, err);
}

/* Finds these addresses, and leaves out so many functions. */
static void expect(const char *name, const uint64_t *addrs, size_t nr, size_t nr_left_out)
{
	ck_assert_int_eq(try_find(name, NULL), 0);
	ck_assert_uint_eq(found.addrs.nr, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(found.addrs.data[i], addrs[i]);
	ck_assert_uint_eq(found.nr_left_out, nr_left_out);
}

#define ADDRS(...) (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8
#define NO_ADDRS   NULL, 0

START_TEST(files_of_the_kernel)
{
	struct err err = {0};

	expect("tcp_*", ADDRS(0xffffffff81000000, 0xffffffff81000100, 0xffffffff81000200), 0);
	kernel.blacklist = "0xffffffff81000100-0xffffffff81000110\ttcp_two\n";
	expect("tcp_*", ADDRS(0xffffffff81000000, 0xffffffff81000200), 1);
	kernel.older_traceable = "tcp_three\ntcp_two\n";
	expect("tcp_*", ADDRS(0xffffffff81000200), 2);
	kernel.traceable = "tcp_one\n";
	expect("tcp_*", ADDRS(0xffffffff81000000), 2);
	expect("tcp_three", NO_ADDRS, 1);
	kernel.kallsyms = NULL;
	ck_assert_int_eq(try_find("tcp_*", &err), -EACCES);
	ck_assert_str_eq(err.text, "failed to read '/proc/kallsyms': Permission denied");
}
END_TEST

/* Lines that are no symbols hide none. */
START_TEST(names_that_the_kernel_has)
{
	ck_assert(kernel_functions_have("tcp_one"));
	ck_assert(kernel_functions_have("tcp_three"));
	ck_assert(!kernel_functions_have("tcp_data"));
	ck_assert(!kernel_functions_have("tcp_on"));
	ck_assert(!kernel_functions_have("tcp_onely"));
	kernel.kallsyms = " T a\n1 T \n1T b\n1 Tb c\n1 T";
	ck_assert(!kernel_functions_have(""));
	ck_assert(!kernel_functions_have("a"));
	ck_assert(!kernel_functions_have("b"));
	ck_assert(!kernel_functions_have("c"));
	kernel.kallsyms = "1xT e\n1 Txe\n";
	ck_assert(!kernel_functions_have("e"));
	kernel.kallsyms = "\n1 T d";
	ck_assert(kernel_functions_have("d"));
	kernel.kallsyms = NULL;
	ck_assert(!kernel_functions_have("tcp_one"));
}
END_TEST

static void expect_suggestion(const char *word, const char *want)
{
	struct suggestion similar;
	char *best;

	suggestion_init(&similar, word);
	best = kernel_functions_suggest(&similar);
	ck_assert(best == similar.best);
	if (want)
		ck_assert_str_eq(best, want);
	else
		ck_assert_ptr_null(best);
	free(best);
}

START_TEST(names_for_a_slip)
{
	expect_suggestion("tcp_on", "tcp_one");
	expect_suggestion("tcp_woo", "tcp_two"); /* the second that is tried */
	expect_suggestion("tcp_tree", "tcp_three");
	expect_suggestion("tcp_dat", NULL); /* no function */
	expect_suggestion("submit_bio", NULL);
	kernel.kallsyms = NULL;
	expect_suggestion("tcp_on", NULL);
}
END_TEST

/* The names come in the order of their addresses, and lines can lack one. */
START_TEST(names_of_the_blacklist)
{
	kernel.blacklist = "\n"
			   "0x1-0x2\n"
			   "0x3-0x4\ttcp_two\n"
			   "0x5-0x6\ttcp_one [module]\n"
			   "0x7-0x8\ttcp_a\n";
	expect("tcp_*", ADDRS(0xffffffff81000200), 2);
}
END_TEST

/* The borders of code that takes no probes, wherever it stands in the text. */
START_TEST(code_without_probes)
{
	kernel.kallsyms = "100 t a_before\n"
			  "200 t a_first\n"
			  "2ff t a_last\n"
			  "300 t a_after\n"
			  "200 T __noinstr_text_start\n"
			  "300 T __noinstr_text_end\n"
			  "400 T __irqentry_text_start\n"
			  "400 t a_interrupt\n"
			  "500 T __irqentry_text_end\n"
			  "600 t a_init\n"
			  "600 D __init_begin\n"
			  "601 D __init_end\n"
			  "601 t a_end\n";
	expect("a_*", ADDRS(0x100, 0x300, 0x601), 4);
}
END_TEST

/* Neither parts of functions nor what the kernel's tools make for itself. */
START_TEST(names_that_are_left_out)
{
	kernel.kallsyms = "100 t __perf_a\n"
			  "200 t perf_a\n"
			  "300 t _kbl_addr_a\n"
			  "400 t __SCT__a\n"
			  "500 t __cfi_a\n"
			  "600 t __pfx_a\n"
			  "700 t a.cold\n"
			  "800 t a.cold.1\n"
			  "900 t a.colder\n"
			  "a00 t __per_a\n"
			  "b00 t perfa\n"
			  "c00 t cold_a\n";
	expect("*a*", ADDRS(0x900, 0xa00, 0xb00, 0xc00), 8);
}
END_TEST

/* The kernel says 0 where it hides an address, which is none. */
START_TEST(hidden_addresses)
{
	expect("tcp_*", ADDRS(0xffffffff81000000, 0xffffffff81000100, 0xffffffff81000200), 0);
	ck_assert(!found.are_hidden);
	kernel.kallsyms = "0 t a_hidden\n"
			  "100 t a_one\n"
			  "0 t b_hidden\n";
	expect("a_*", ADDRS(0x100), 0);
	ck_assert(found.are_hidden);
	expect("a_one", ADDRS(0x100), 0);
	ck_assert(!found.are_hidden);
}
END_TEST

/* The same names come again and again: each function once, by whichever name it can be traced. */
START_TEST(functions_of_many_names)
{
	kernel.kallsyms = "300 t a_same\n"
			  "100 t a_same\n"
			  "200 t a_alias\n"
			  "200 t a_name\n"
			  "400 t a_other\n"
			  "500 t b_same\n";
	kernel.traceable = "a_name\na_same [module]\n\nb_same\nz\n";
	expect("a_*", ADDRS(0x100, 0x200, 0x300), 1);
	expect("*_same", ADDRS(0x100, 0x300, 0x500), 0);
	kernel.traceable = "";
	expect("a_*", NO_ADDRS, 4);
}
END_TEST

START_TEST(names_that_are_unique)
{
	static const char text[] = "050 t b_zero\n"
				   "500 t a_three\n"
				   "200 t a_two\n"
				   "100 t a_one\n"
				   "300 t a_two\n"
				   "600 t a_four\n"
				   "400 t a_two\n"
				   "700 t a_five\n"
				   "800 d a_data\n";
	const struct pattern pattern = {.name.text = (char *)(uintptr_t) "a_*"};
	uint64_t addrs[] = {0x50, 0x100, 0x200, 0x500, 0x600, 0x800};
	const struct kernel_functions some = {.addrs = {.data = addrs, .nr = ARRAY_SIZE(addrs)}};
	name_vec names = {0};
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	ck_assert_int_eq(kernel_functions_names(&pattern, &some, f, &names), 0);
	fclose(f);
	ck_assert_uint_eq(names.nr, 3);
	ck_assert_str_eq(names.data[0], "a_four");
	ck_assert_str_eq(names.data[1], "a_one");
	ck_assert_str_eq(names.data[2], "a_three");
	name_vec_free(&names);
}
END_TEST

START_TEST(memory_runs_out)
{
	kernel.traceable = "tcp_one\ntcp_three\n";
	kernel.blacklist = "1-2 tcp_three\n";
	oom_for_each_call(n)
	{
		struct err err = {0};
		const int ret = try_find("tcp_*", &err);

		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		if (ret)
			ck_assert_str_eq(err.text,
					 "failed to read '/proc/kallsyms': Cannot allocate memory");
	}
}
END_TEST

SUITE_MAIN_WITH("kernel_functions", begin, end, files_of_the_kernel, names_that_the_kernel_has,
		names_for_a_slip, names_of_the_blacklist, code_without_probes,
		names_that_are_left_out, hidden_addresses, functions_of_many_names,
		names_that_are_unique, memory_runs_out)
