// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/unit/suite.h"

struct options {
	bool a, b, c;
	const char *d;
};

#define ROW(type, field, ...) OPTION_ROW(struct options, OPTION_##type, field, __VA_ARGS__)

static const struct option_spec own_rows[] = {
	ROW(FLAG, a, "all", 'a',
	    .help = "words up to the last column of a line, 80, and one word that does not fit; then up to column 79, and a"),
	ROW(STRING, d, "a-name-that-is-long", 0, .metavar = "VALUE", .help = "below"),
};

static const struct option_spec first_rows[] = {
	ROW(FLAG, b, "before", 'b', .help = "first"),
};

static const struct option_spec second_rows[] = {
	ROW(FLAG, c, "counts", 0, .help = "second"),
};

static const struct option_table own = {own_rows, ARRAY_SIZE(own_rows), NULL, NULL};
static const struct option_table first = {first_rows, ARRAY_SIZE(first_rows), "things", NULL};
static const struct option_table second = {second_rows, ARRAY_SIZE(second_rows), "things", NULL};

static const struct command_spec show = {
	.name = "show",
	.summary = "show",
	.usage = "FILE",
	.examples = "  x show f\n",
	.parts = {{&first, 0}, {&second, 0}},
};

static const struct command_spec list = {
	.name = "list",
	.summary = "list",
	.usage = "FILE",
	.examples = "  x list f\n",
	.parts = {{&own, 0}, {&second, 0}},
};

static const struct command_spec *const commands[] = {&show, &list};

static const struct program_spec program = {
	.name = "x",
	.usage = "[COMMAND]",
	.summary = "do it",
	.examples = "  x\n",
	.commands = commands,
	.nr_commands = ARRAY_SIZE(commands),
};

static void print_program(void)
{
	usage_print_program(&program);
}

static void print_command(void)
{
	usage_print_command(&program, &list);
}

static void print_first_man(void)
{
	usage_print_man(&program, &show);
}

static void print_second_man(void)
{
	usage_print_man(&program, &list);
}

/* Checks what @print writes to stdout. */
static void expect(void (*print)(void), const char *wanted)
{
	char path[] = "/tmp/profrec-test-XXXXXX", text[4096];
	int fd = mkstemp(path), before = dup(STDOUT_FILENO);
	ssize_t n;

	ck_assert_int_ge(fd, 0);
	unlink(path);
	fflush(stdout);
	ck_assert_int_ge(dup2(fd, STDOUT_FILENO), 0);
	print();
	fflush(stdout);
	ck_assert_int_ge(dup2(before, STDOUT_FILENO), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	close(before);
	close(fd);
	ck_assert_str_eq(text, wanted);
}

#define GENERAL                                                                                    \
	"\ngeneral:\n"                                                                             \
	"  -h, --help                  show this help and exit\n"                                  \
	"      --version               show the version and exit\n"

START_TEST(tables_of_one_heading)
{
	expect(print_program, "usage: x [COMMAND]\n"
			      "\n"
			      "do it\n"
			      "\n"
			      "commands:\n"
			      "  show          show\n"
			      "  list          list\n"
			      "  help COMMAND  show a command's options\n"
			      "\n"
			      "If no command is named, show runs. It has these options:\n"
			      "\n"
			      "things:\n"
			      "  -b, --before                first\n"
			      "      --counts                second\n" GENERAL "\n"
			      "examples:\n"
			      "  x\n");
}
END_TEST

START_TEST(long_lines)
{
	expect(print_command,
	       "usage: x list FILE\n"
	       "\n"
	       "list\n"
	       "\n"
	       "options:\n"
	       "  -a, --all                   words up to the last column of a line, 80, and one\n"
	       "                              word that does not fit; then up to column 79, and\n"
	       "                              a\n"
	       "      --a-name-that-is-long VALUE\n"
	       "                              below\n"
	       "\n"
	       "things:\n"
	       "      --counts                second\n" GENERAL "\n"
	       "examples:\n"
	       "  x list f\n");
}
END_TEST

START_TEST(man_page)
{
	expect(print_first_man, ".PP\n"
				".B Things\n"
				".TP\n"
				"\\fB\\-b\\fR, \\fB\\-\\-before\\fR\n"
				"First.\n"
				".TP\n"
				"\\fB\\-\\-counts\\fR\n"
				"Second.\n"
				".PP\n"
				".B General\n"
				".TP\n"
				"\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
				"Show this help and exit.\n"
				".TP\n"
				"\\fB\\-\\-version\\fR\n"
				"Show the version and exit.\n");
	expect(print_second_man,
	       ".PP\n"
	       ".B Options\n"
	       ".TP\n"
	       "\\fB\\-a\\fR, \\fB\\-\\-all\\fR\n"
	       "Words up to the last column of a line, 80, and one word that does not fit; then up to column 79, and a.\n"
	       ".TP\n"
	       "\\fB\\-\\-a\\-name\\-that\\-is\\-long\\fR \\fIVALUE\\fR\n"
	       "Below.\n"
	       ".PP\n"
	       "As for \\fBshow\\fR: \\fB\\-\\-counts\\fR, \\fB\\-\\-help\\fR, \\fB\\-\\-version\\fR.\n");
}
END_TEST

SUITE_MAIN("usage", tables_of_one_heading, long_lines, man_page)
