// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/command_line.h"
#include "common/parse.h"
#include "report/commands/commands.h"
#include "tests/unit/option_names.h"
#include "tests/unit/suite.h"

#define MAX_WORDS 16

/* argv of a program's name and words, for getopt to reorder. */
struct words {
	char text[256];
	char *argv[MAX_WORDS + 1];
	int argc;
};

/* Splits @text at spaces. */
static void words_init(struct words *words, const char *text)
{
	char *save = NULL;

	snprintf(words->text, sizeof(words->text), "program %s", text);
	words->argc = 0;
	for (char *w = strtok_r(words->text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		ck_assert_int_lt(words->argc, MAX_WORDS);
		words->argv[words->argc++] = w;
	}
	words->argv[words->argc] = NULL;
}

static void expect_command(const char *text, const struct profrep_command *command)
{
	struct invocation invocation = {0};
	struct err err = {0};
	struct words words;

	words_init(&words, text);
	ck_assert_int_eq(invocation_parse(&invocation, words.argc, words.argv, &err), OPTIONS_RUN);
	ck_assert_str_eq(err.text, "");
	ck_assert_ptr_eq(invocation.command, command);
	invocation_deinit(&invocation);
}

static void expect_error(const char *text, int ret, const char *error, const char *hint)
{
	struct invocation invocation = {0};
	struct err err = {0};
	struct words words;

	words_init(&words, text);
	ck_assert_int_eq(invocation_parse(&invocation, words.argc, words.argv, &err), ret);
	ck_assert_ptr_null(invocation.options);
	ck_assert_str_eq(err.text, error);
	ck_assert_str_eq(err.hint, hint);
}

START_TEST(commands_are_chosen)
{
	expect_command("", &report_command);
	expect_command("-f -U -", &report_command);
	expect_command("report", &report_command);
	expect_command("report nosuch.prof", &report_command);
	expect_command("diff a b", &diff_command);
	expect_command("diff -fn - b", &diff_command);
	expect_command("diff info info", &diff_command);
	expect_command("diff --before a - --after b c -n -f", &diff_command);
	expect_command("plan 5 a b c", &plan_command);
	expect_command("plan --per 1,2,3.5 0.5 a b c", &plan_command);
	expect_command("plan --per request=1,2,3.5 0.5 a b c", &plan_command);
	expect_command("diff --per share a b", &diff_command);
	expect_command("diff --per cpu --per request=1000,1200 a b", &diff_command);
	expect_command("info", &info_command);
	expect_command("info info", &info_command);
	expect_command("files --symfs root -U --from 3 --to 4 x", &files_command);
	expect_command("missing --symfs root --from 3 --to 4 x", &missing_command);
	expect_command("processes --from 3 -", &processes_command);
}
END_TEST

#define SIMILAR(word, name)                                                                        \
	"no command and no file is called '" word "'; did you mean 'profrep " name "'?"

#define NO_UNIT(text) "option --per: '" text "' is not a unit"

START_TEST(units_that_are_refused)
{
	static const char *const texts[] = {
		"=3",        "cpu=3",     "request=", "request=1,x",
		"re|uest=1", "samples=1", "1=2=3",    "a-name-that-has-as-many-as-32-bytes=1",
	};
	char command[128], error[128];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(command, sizeof(command), "diff --per %s a b", texts[i]);
		snprintf(error, sizeof(error), NO_UNIT("%s"), texts[i]);
		expect_error(
			command, -EINVAL, error,
			"units are share, cpu, and work: a number or one for each recording, as in request=1000,1200");
	}
}
END_TEST

START_TEST(words_that_are_refused)
{
	expect_error("inf", -ENOENT, SIMILAR("inf", "info"), "");
	expect_error(
		"-f nosuch.prof x", -ENOENT,
		"failed to open 'nosuch.prof': No such file or directory, and no command has this name",
		"'profrec -o nosuch.prof' makes a recording");
	expect_error("-f info x", -EINVAL, "command info: not the first word",
		     "'profrep info ...', or './info' for a file of that name");
	expect_error("help inf", -EINVAL, "unknown command 'inf'; did you mean 'info'?", "");
	expect_error("help xyz", -EINVAL, "unknown command 'xyz'",
		     "'profrep --help' shows the usage");
}
END_TEST

#define NO_COMMAND(word)                                                                           \
	"failed to open '" word "': No such file or directory, and no command has this name"

START_TEST(words_of_other_tools)
{
	expect_error("script x", -ENOENT, NO_COMMAND("script"),
		     "'profrep export perf-script' prints what perf script prints");
	expect_error("--stdio x", -EINVAL, "unknown option '--stdio'",
		     "profrep always prints to standard output; leave the option out");
	expect_error("-f -F 99", -EINVAL, "unknown option '-F'",
		     "'profrec -F' sets how often samples are taken");
	expect_error("--html=a x", -EINVAL, "unknown option '--html'",
		     "'profrep html' makes a page of flame graphs");
}
END_TEST

START_TEST(slips)
{
	expect_error("exprot pprof", -ENOENT, SIMILAR("exprot", "export"), "");
	expect_error("proc x", -ENOENT, SIMILAR("proc", "processes"), "");
	expect_error("htlm x", -ENOENT, SIMILAR("htlm", "html"), "");
	expect_error("htmls x", -ENOENT, SIMILAR("htmls", "html"), "");
	expect_error("fries x", -ENOENT, SIMILAR("fries", "files"), "");
	expect_error("tpo x", -ENOENT, SIMILAR("tpo", "top"), "");
	expect_error("flours x", -ENOENT, NO_COMMAND("flours"),
		     "'profrep --help' lists the commands");
	expect_error("./x", -ENOENT, NO_COMMAND("./x"), "'profrec -o ./x' makes a recording");
}
END_TEST

START_TEST(operands_that_are_refused)
{
	const char *diff = "'profrep diff --help' shows the usage";
	const char *sides = "'--before FILE... --after FILE...' compares several recordings";

	expect_error("info a b", -EINVAL, "unexpected operand 'b'",
		     "'profrep info --help' shows the usage");
	expect_error("processes a b", -EINVAL, "unexpected operand 'b'",
		     "'profrep processes --help' shows the usage");
	for (int i = 0; i < 4; i++)
		expect_error(
			((const char *[]){"diff", "diff a", "diff --before a b",
					  "diff --after a"})[i],
			-EINVAL,
			"command diff: needs two recordings, BEFORE and AFTER, or --before and --after",
			diff);
	expect_error("Makefile top", -EINVAL, "command top: not the first word",
		     "'profrep top ... Makefile'");
	expect_error("diff a b c", -EINVAL, "unexpected operand 'c'", sides);
	expect_error("diff --before a --after b -f c", -EINVAL, "unexpected operand 'c'", sides);
	expect_error("plan", -EINVAL, "command plan: needs a percentage and recordings",
		     "'profrep plan --help' shows the usage");
	expect_error("plan 5 a b", -EINVAL, "command plan: needs 3 recordings or more",
		     "'profrec --repeat 5 -o pilot-%H%M%S.prof 30' makes five recordings");
	expect_error("plan a b c d", -EINVAL, "command plan: 'a' is not a percentage above 0",
		     "'profrep plan 5 a*.prof' plans for changes of 5 %");
	expect_error("diff - -", -EINVAL, "command diff: only one recording can be '-'", diff);
}
END_TEST

START_TEST(options_that_are_refused)
{
	const char *report = "'profrep --help' lists the options";

	expect_error("-U -K", -EINVAL,
		     "option -K/--kernel-stacks-only: not allowed with option "
		     "-U/--user-stacks-only",
		     "");
	expect_error("-x", -EINVAL, "unknown option '-x'", report);
	expect_error("--frobnicate", -EINVAL, "unknown option '--frobnicate'", report);
	expect_error("--symfs", -EINVAL, "option --symfs: needs a value", report);
	expect_error("--folded=3", -EINVAL, "option --folded: takes no value", report);
	expect_error("--foldde", -EINVAL, "unknown option '--foldde'; did you mean '--folded'?",
		     "");
	expect_error("--Folded=3", -EINVAL, "unknown option '--Folded'; did you mean '--folded'?",
		     "");
	expect_error("--hlep", -EINVAL, "unknown option '--hlep'; did you mean '--help'?", "");
	expect_error("--fr", -EINVAL, "option '--fr' is ambiguous: '--frames', '--from'", "");
	expect_error("--=x", -EINVAL, "unknown option '--'", report);
	expect_error("top --by nothing", -EINVAL,
		     "option --by: unknown value 'nothing'; choose one of: function, dso, "
		     "process, thread, comm, cgroup, container, pod, unit, service, user, cpu",
		     "");
	expect_error("top --by dsos", -EINVAL,
		     "option --by: unknown value 'dsos'; did you mean 'dso'?", "");
	expect_error("top --by pid,dso", -EINVAL,
		     "option --by: unknown value 'pid,dso'; choose one of: function, dso, "
		     "process, thread, comm, cgroup, container, pod, unit, service, user, cpu",
		     "");
	expect_error("-n", -EINVAL, "unknown option '-n'", report);
	expect_error("info -f", -EINVAL, "unknown option '-f'",
		     "'profrep info --help' lists the options");
	expect_error("files -T", -EINVAL, "unknown option '-T'",
		     "'profrep files --help' lists the options");
	expect_error(
		"processes --to 12:60:00", -EINVAL, "option --to: '12:60:00' is not a time",
		"times are 12.5 or 2m (since the start), 14:05:00, 2026-11-22T14:05:00, and with Z in UTC");
	expect_error("diff --from 5 --to 5.0 a b", -EINVAL, "option --to: not later than --from",
		     "'profrep diff --help' shows the usage");
}
END_TEST

START_TEST(names_are_of_one_option)
{
	expect_own_names(&report_program);
}
END_TEST

struct inner {
	uint64_t n;
	bool flag;
};

struct outer {
	u32_vec pids, cpus;
	string_vec words;
	struct inner inner;
};

static int is_flagged_odd(const void *target, struct err *err)
{
	const struct inner *inner = target;

	return inner->flag && inner->n % 2 ? err_set(err, -EINVAL, "an odd number") : 0;
}

static const struct option_spec inner_rows[] = {
	{.name = "number",
	 .short_name = 'n',
	 .type = OPTION_U64,
	 .offset = offsetof(struct inner, n),
	 .metavar = "N",
	 .min = 1,
	 .max = 10,
	 .help = "n"},
	{.name = "flag",
	 .short_name = 'f',
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct inner, flag),
	 .help = "f"},
};
static const struct option_table inner_options = {inner_rows, 2, NULL, is_flagged_odd};

static const struct option_spec list_rows[] = {
	{.name = "pid",
	 .short_name = 'p',
	 .type = OPTION_PIDS,
	 .offset = offsetof(struct outer, pids),
	 .metavar = "PID",
	 .help = "pids"},
	{.name = "cpu",
	 .type = OPTION_CPUS,
	 .offset = offsetof(struct outer, cpus),
	 .metavar = "CPU",
	 .help = "cpus"},
	{.name = "words",
	 .type = OPTION_WORDS,
	 .offset = offsetof(struct outer, words),
	 .metavar = "WORD...",
	 .help = "words"},
};
static const struct option_table list_options = {list_rows, 3, NULL, NULL};

static const struct command_spec command = {
	.parts = {{&list_options, 0}, {&inner_options, offsetof(struct outer, inner)}}};
static const struct command_spec *const commands[] = {&command};
static const struct program_spec program = {.name = "test", .commands = commands, .nr_commands = 1};

/* Parses @words as one that has no commands. */
static int parse_outer(const char *text, struct words *words, struct command_line *line,
		       struct outer *outer, struct err *err)
{
	*outer = (struct outer){0};
	words_init(words, text);
	ck_assert_int_eq(command_line_choose(line, &program, words->argc, words->argv, err), 0);
	return command_line_parse(line, outer, err);
}

static void expect_bad_value(const char *text, const char *error)
{
	struct command_line line;
	struct err err = {0};
	struct outer outer;
	struct words words;

	ck_assert_int_eq(parse_outer(text, &words, &line, &outer, &err), -EINVAL);
	ck_assert_str_eq(err.text, error);
	vec_free(&outer.pids);
	vec_free(&outer.cpus);
}

START_TEST(bad_values)
{
	expect_bad_value("-n 0", "option -n/--number: 0 is out of range (1 to 10)");
	expect_bad_value("-n 1x", "option -n/--number: '1x' is not a whole number");
	expect_bad_value("-p 1,,2",
			 "option -p/--pid: '1,,2' is not a list of process ids (N[,N...])");
	expect_bad_value("--cpu 4-2", "option --cpu: '4-2' is not a list of CPUs (N[,N|A-B...])");
	expect_bad_value("-fn 3", "an odd number");
}
END_TEST

START_TEST(tables_fill_their_structs)
{
	struct command_line line;
	struct outer outer;
	struct words words;

	ck_assert_int_eq(parse_outer("help -f -p 7 -n 4 x", &words, &line, &outer, NULL),
			 OPTIONS_RUN);
	ck_assert(outer.inner.flag);
	ck_assert_uint_eq(outer.inner.n, 4);
	ck_assert_uint_eq(outer.pids.nr, 1);
	ck_assert_uint_eq(outer.pids.data[0], 7);
	ck_assert_int_eq(line.nr_operands, 2);
	ck_assert_str_eq(line.operands[0], "help");
	ck_assert_str_eq(line.operands[1], "x");
	vec_free(&outer.pids);
}
END_TEST

/* Such an option takes words up to the next option, and leaves those before it to the operands. */
START_TEST(words_up_to_the_next_option)
{
	static const char *const expected[] = {"a", "b", "-", "c", "d"};
	struct command_line line;
	struct outer outer;
	struct words words;

	ck_assert_int_eq(parse_outer("help x --words a b - -f y --words=c d -n 4", &words, &line,
				     &outer, NULL),
			 OPTIONS_RUN);
	ck_assert_uint_eq(outer.words.nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		ck_assert_str_eq(outer.words.data[i], expected[i]);
	ck_assert(outer.inner.flag);
	ck_assert_uint_eq(outer.inner.n, 4);
	ck_assert_int_eq(line.nr_operands, 3);
	ck_assert_str_eq(line.operands[1], "x");
	ck_assert_str_eq(line.operands[2], "y");
	vec_free(&outer.words);
}
END_TEST

SUITE_MAIN("options", commands_are_chosen, units_that_are_refused, words_that_are_refused,
	   words_of_other_tools, slips, operands_that_are_refused, options_that_are_refused,
	   names_are_of_one_option, bad_values, tables_fill_their_structs,
	   words_up_to_the_next_option)
