// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/command_line.h"
#include "common/options.h"
#include "format/prof.h"

/* The first command runs if the user names none. */
static const struct command_spec *const commands[] = {
	&report_command.spec,  &diff_command.spec,      &plan_command.spec,
	&info_command.spec,    &top_command.spec,       &tree_command.spec,
	&callers_command.spec, &annotate_command.spec,  &files_command.spec,
	&missing_command.spec, &processes_command.spec, &html_command.spec,
	&export_command.spec,  &pack_command.spec,      &merge_command.spec,
	&tables_command.spec,  &push_command.spec,
};

/* Words of perf, bcc, pprof and FlameGraph. */
static const struct foreign_word foreign_words[] = {
	{"script", "'profrep export perf-script' prints what perf script prints"},
	{"flamegraph", "'profrep html' makes a page of flame graphs"},
	{"record", "'profrec' records"},
	{"pprof", "'profrep export pprof' writes a profile for pprof"},
	{"speedscope", "'profrep export speedscope' writes a profile for speedscope"},
	{"folded", "'profrep -f' prints folded stacks"},
	{"--html", "'profrep html' makes a page of flame graphs"},
	{"--stdio", "profrep always prints to standard output; leave the option out"},
	{"--header", "'profrep info' prints host, command, time and losses"},
	{"-g", "stacks are always printed; leave the option out"},
	{"--no-children",
	 "'profrep top' sorts by self, as perf does with --no-children; --sort total as without"},
	{"--children", "'profrep top --sort total' sorts by functions with what they called"},
	{"-o",
	 "'profrep html', 'profrep export' and 'profrep pack' write files; reports go to standard output"},
	{"-p", "'profrec -p' records one process; 'profrep processes' lists those of a recording"},
	{"-F", "'profrec -F' sets how often samples are taken"},
	{NULL, NULL},
};

static void print_parts(void)
{
	printf("formats %d.0 to %d.%d, zstd %s\n", PROF_VERSION_MAJOR, PROF_VERSION_MAJOR,
	       PROF_VERSION_MINOR, ZSTD_versionString());
}

const struct program_spec report_program = {
	.name = "profrep",
	.print_parts = print_parts,
	.summary = "report a recording of profrec",
	.usage = "[report] [OPTIONS] [FILE|@LIST...]\n       profrep COMMAND [OPTIONS] [FILE...]",
	.examples = "  profrep                          # stacks of profrec.prof\n"
		    "  profrep -f app.prof              # folded, for flame graphs\n"
		    "  profrep -s -m app.prof           # with offsets and modules\n"
		    "  profrep -T -f app.prof           # each interval, with its time\n"
		    "  profrep --from 14:05:00 --to 14:06:30 app.prof\n"
		    "  profrep --comm nginx --function SSL_ app.prof  # some samples only\n"
		    "  profrep host*.prof               # several recordings as one\n"
		    "  profrep merge -o all.prof host*.prof\n"
		    "  profrep --symfs root/ app.prof   # with another host's binaries\n"
		    "  profrep info app.prof            # host, event, samples, losses\n"
		    "  profrep files app.prof           # files, and reasons for missing symbols\n"
		    "  profrep missing app.prof         # files that would name more functions\n"
		    "  profrep processes app.prof       # users, executables, cgroups\n"
		    "  profrep top app.prof             # functions with most samples\n"
		    "  profrep annotate func_a app.prof # lines of a function\n"
		    "  profrep html app.prof            # a page for a browser: app.html\n"
		    "  profrep push http://localhost:4040 app.prof  # to Pyroscope\n"
		    "  profrep diff --before a*.prof --after b*.prof  # what changed\n"
		    "  profrep plan 5 pilot*.prof       # how many recordings show 5 %\n",
	.commands = commands,
	.nr_commands = ARRAY_SIZE(commands),
	.foreign_words = foreign_words,
};

static const struct profrep_command *command_of(const struct command_spec *spec)
{
	const char *start = (const char *)spec - offsetof(struct profrep_command, spec);

	return (const struct profrep_command *)start;
}

/* Hints at the thing that a @word may mean which is no file. */
static int hint_at_word(const char *word, struct err *err)
{
	const char *hint = program_foreign_hint(&report_program, word);

	if (hint)
		return err_hint(err, -ENOENT, "%s", hint);
	if (strpbrk(word, "./"))
		return err_hint(err, -ENOENT, "'profrec -o %s' makes a recording", word);
	return err_hint(err, -ENOENT, "'profrep --help' lists the commands");
}

/*
 * Looks at the first operand of a command line without a command's word: the user may mean a
 * command.
 */
static int check_word(const char *word, struct err *err)
{
	const char *similar = program_similar_command(&report_program, word);

	if (program_find_command(&report_program, word)) {
		err_set(err, -EINVAL, "command %s: not the first word", word);
		return err_hint(err, -EINVAL, "'profrep %s ...', or './%s' for a file of that name",
				word, word);
	}
	if (!strcmp(word, "-") || word[0] == '@' || !access(word, F_OK) || errno != ENOENT)
		return 0;
	/* A pattern of the shell is no command. Who opens the file says more about it. */
	if (strpbrk(word, "*?["))
		return 0;
	if (similar && !program_foreign_hint(&report_program, word))
		return err_set(err, -ENOENT,
			       "no command and no file is called '%s'; did you mean 'profrep %s'?",
			       word, similar);
	err_set(err, -ENOENT, "failed to open '%s': %s, and no command has this name", word,
		strerror(ENOENT));
	return hint_at_word(word, err);
}

/* A command after the file that it is for would be taken for a second file. */
static int check_order(int nr, char **operands, struct err *err)
{
	for (int i = 1; i < nr; i++) {
		if (!program_find_command(&report_program, operands[i]) ||
		    !access(operands[i], F_OK))
			continue;
		err_set(err, -EINVAL, "command %s: not the first word", operands[i]);
		return err_hint(err, -EINVAL, "'profrep %s ... %s'", operands[i], operands[0]);
	}
	return 0;
}

static int take_files(const struct invocation *invocation, int nr, char **operands, struct err *err)
{
	char *target = (char *)invocation->options + invocation->command->file_offset;

	if (invocation->command->takes_several) {
		*(struct operands *)target = (struct operands){operands, nr};
		return 0;
	}
	if (nr > 1)
		return err_set(err, -EINVAL, "unexpected operand '%s'", operands[1]);
	*(const char **)target = nr ? operands[0] : DEFAULT_RECORDING;
	return 0;
}

static int take_operands(const struct command_line *line, const struct invocation *invocation,
			 struct err *err)
{
	const struct profrep_command *command = invocation->command;
	int nr = line->nr_operands;
	int ret = 0;

	if (!line->is_named && nr)
		ret = check_word(line->operands[0], err);
	if (!ret && !line->is_named)
		ret = check_order(nr, line->operands, err);
	if (!ret && command->take_operands)
		ret = command->take_operands(invocation->options, nr, line->operands, err);
	else if (!ret)
		ret = take_files(invocation, nr, line->operands, err);
	return command_line_hint(line, ret, err);
}

int invocation_parse(struct invocation *invocation, int argc, char **argv, struct err *err)
{
	struct invocation parsed = {0};
	struct command_line line;
	int ret = command_line_choose(&line, &report_program, argc, argv, err);

	if (ret)
		return ret;
	parsed.command = command_of(line.command);
	parsed.options = calloc(1, parsed.command->options_size);
	if (!parsed.options)
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	ret = command_line_parse(&line, parsed.options, err);
	if (ret == OPTIONS_RUN)
		ret = take_operands(&line, &parsed, err);
	if (ret == OPTIONS_RUN)
		*invocation = parsed;
	else
		invocation_deinit(&parsed);
	return ret;
}

int invocation_run(const struct invocation *invocation, struct command_io *io, struct err *err)
{
	return invocation->command->run(invocation->options, io, err);
}

void invocation_deinit(struct invocation *invocation)
{
	if (invocation->options && invocation->command->release)
		invocation->command->release(invocation->options);
	if (invocation->options)
		options_release(&invocation->command->spec, invocation->options);
	free(invocation->options);
	*invocation = (struct invocation){0};
}
