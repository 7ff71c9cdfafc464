// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/parse.h"
#include "report/report_options.h"
#include "tests/unit/suite.h"

#define MAX_ARGS 8

/* Parses "profrep" and @words, split at spaces. */
static int parse(const char *words, struct report_options *opts, struct err *err)
{
	char *copy = strdup(words), *save = NULL;
	static char program[] = "profrep";
	static char kept[MAX_ARGS][32];
	char *argv[MAX_ARGS + 2] = {program};
	int argc = 1;
	int ret;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		snprintf(kept[argc - 1], sizeof(kept[0]), "%s", w);
		argv[argc] = kept[argc - 1];
		argc++;
	}
	ret = report_options_parse(argc, argv, opts, err);
	free(copy);
	return ret;
}

static void expect_error(const char *words, const char *text)
{
	struct report_options opts;
	struct err err = {0};

	ck_assert_int_eq(parse(words, &opts, &err), -EINVAL);
	ck_assert_str_eq(err.text, text);
}

START_TEST(defaults)
{
	struct report_options opts;

	ck_assert_int_eq(parse("", &opts, NULL), OPTIONS_RUN);
	ck_assert_str_eq(opts.files[0], "profrec.prof");
	ck_assert_ptr_null(opts.files[1]);
	ck_assert(!opts.view.folded && !opts.diff && !opts.symfs);
}
END_TEST

START_TEST(everything)
{
	struct report_options opts;

	ck_assert_int_eq(parse("-fdasmvU x.prof --symfs root", &opts, NULL), OPTIONS_RUN);
	ck_assert(opts.view.folded && opts.view.delimited && opts.view.annotations);
	ck_assert(opts.view.offsets && opts.view.modules && opts.view.addresses);
	ck_assert(opts.view.user_only && !opts.view.kernel_only);
	ck_assert_str_eq(opts.symfs, "root");
	ck_assert_str_eq(opts.files[0], "x.prof");
	ck_assert_int_eq(parse("--diff -n a b", &opts, NULL), OPTIONS_RUN);
	ck_assert(opts.diff && opts.normalize && opts.view.folded);
	ck_assert_str_eq(opts.files[1], "b");
}
END_TEST

START_TEST(errors)
{
	expect_error("-U -K", "option -K/--kernel-stacks-only: not allowed with option "
			      "-U/--user-stacks-only");
	expect_error("--info --dsos", "option --dsos: not allowed with option --info");
	expect_error("-n", "option -n/--normalize: only with option --diff");
	expect_error("-f --info", "option -f/--folded: not allowed with option --info");
	expect_error("-f --dsos", "option -f/--folded: not allowed with option --dsos");
	expect_error("--diff", "option --diff: needs two recordings, BEFORE and AFTER");
	expect_error("--diff a", "option --diff: needs two recordings, BEFORE and AFTER");
	expect_error("--diff a b c", "option --diff: needs two recordings, BEFORE and AFTER");
	expect_error("--diff - -", "option --diff: only one recording can be '-'");
	expect_error("a b", "unexpected operand 'b'");
	expect_error("-x", "option -x: unknown");
	expect_error("--frobnicate", "option --frobnicate: unknown, ambiguous, or takes no value");
	expect_error("--symfs", "option --symfs: needs a value");
	expect_error("--info=3", "option --info=3: unknown, ambiguous, or takes no value");
}
END_TEST

struct numbers {
	uint64_t n;
	u32_vec pids, cpus;
};

static const struct option_spec number_options[] = {
	{.name = "number",
	 .short_name = 'n',
	 .type = OPTION_U64,
	 .offset = offsetof(struct numbers, n),
	 .metavar = "N",
	 .min = 1,
	 .max = 10,
	 .help = "n"},
	{.name = "pid",
	 .short_name = 'p',
	 .type = OPTION_PIDS,
	 .offset = offsetof(struct numbers, pids),
	 .metavar = "PID",
	 .help = "pids"},
	{.name = "cpu",
	 .type = OPTION_CPUS,
	 .offset = offsetof(struct numbers, cpus),
	 .metavar = "CPU",
	 .help = "cpus"},
};

static void expect_number_error(const char *option, const char *value, const char *text)
{
	static const struct program_spec program = {
		.name = "test", .options = number_options, .nr_options = 3};
	struct numbers numbers = {0};
	struct err err = {0};
	char name[] = "test", a[32], b[32];
	char *argv[] = {name, a, b, NULL};
	int operands;

	snprintf(a, sizeof(a), "%s", option);
	snprintf(b, sizeof(b), "%s", value);
	ck_assert_int_eq(options_parse(&program, 3, argv, &numbers, &operands, &err), -EINVAL);
	ck_assert_str_eq(err.text, text);
	vec_free(&numbers.pids);
	vec_free(&numbers.cpus);
}

START_TEST(bad_values)
{
	expect_number_error("-n", "0", "option -n/--number: 0 is out of range (1 to 10)");
	expect_number_error("-n", "1x", "option -n/--number: '1x' is not a number");
	expect_number_error("-p", "1,,2",
			    "option -p/--pid: '1,,2' is not a list of process ids (N[,N...])");
	expect_number_error("--cpu", "4-2",
			    "option --cpu: '4-2' is not a list of CPUs (N[,N|A-B...])");
}
END_TEST

SUITE_MAIN("options", defaults, everything, errors, bad_values)
