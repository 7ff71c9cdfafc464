/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of profrep. The file command_NAME.c has a command's options and its run function.
 * The table in commands.c lists the commands.
 */
#ifndef REPORT_COMMANDS_COMMANDS_H
#define REPORT_COMMANDS_COMMANDS_H

#include "common/option_spec.h"
#include "report/commands/command_io.h"

/* The recording that commands read if the user names none. */
#define DEFAULT_RECORDING "profrec.prof"

/* The names of recordings on the command line, and of lists of such. */
struct operands {
	char **names; /* borrowed */
	int nr;
};

struct profrep_command {
	struct command_spec spec;
	size_t options_size; /* size of the struct that the spec's tables fill */
	/* Puts the operands into the options. Returns 0, or -EINVAL with @err set. */
	int (*take_operands)(void *options, int nr, char **operands, struct err *err);
	/*
	 * Without take_operands: the offset of a const char * for the name of the only recording,
	 * or with takes_several, of a struct operands.
	 */
	size_t file_offset;
	bool takes_several;
	/* Releases what the options hold beyond the lists of their tables; NULL: nothing. */
	void (*release)(void *options);
	/* Does the command's work. Returns 0 or a negative errno with @err set. */
	int (*run)(const void *options, struct command_io *io, struct err *err);
};

/* Members of a command: its name, a line that says its work, and lines with examples. */
#define COMMAND_TEXTS(command, work, lines)                                                        \
	.spec.name = (command), .spec.summary = (work), .spec.examples = (lines)

/* Members of a command of one recording, whose name goes to the member file of its options. */
#define ONE_RECORDING(options)                                                                     \
	.spec.usage = "[OPTIONS] [FILE]", .options_size = sizeof(options),                         \
	.file_offset = offsetof(options, file)

/* Members of a command of recordings, which go to the member operands of its options. */
#define SEVERAL_RECORDINGS(options)                                                                \
	.spec.usage = "[OPTIONS] [FILE|@LIST...]", .options_size = sizeof(options),                \
	.file_offset = offsetof(options, operands), .takes_several = true

extern const struct profrep_command report_command, diff_command, info_command, files_command,
	missing_command, plan_command, processes_command, html_command, export_command,
	pack_command, top_command, tree_command, callers_command, annotate_command, merge_command,
	tables_command, push_command;

/* A command and the options that the user gave. */
struct invocation {
	const struct profrep_command *command;
	void *options;
};

/* The commands of profrep with their options. */
extern const struct program_spec report_program;

/*
 * Reads the command line. Returns OPTIONS_RUN with @invocation set, or OPTIONS_DONE. Errors, with
 * @err set: -EINVAL for wrong usage, -ENOENT for a first word that is neither a command nor a file,
 * -ENOMEM.
 */
int invocation_parse(struct invocation *invocation, int argc, char **argv, struct err *err);

/* Runs the command. Returns 0 or a negative errno with @err set. */
int invocation_run(const struct invocation *invocation, struct command_io *io, struct err *err);

/* Releases the options; an all-zero invocation is fine. */
void invocation_deinit(struct invocation *invocation);

#endif
