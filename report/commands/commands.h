/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of profrep: each has a file command_NAME.c with its options and its run, and is an
 * entry of the table in commands.c.
 */
#ifndef REPORT_COMMANDS_COMMANDS_H
#define REPORT_COMMANDS_COMMANDS_H

#include "common/option_spec.h"
#include "report/commands/command_io.h"

struct profrep_command {
	struct command_spec spec;
	size_t options_size; /* of the struct that the spec's tables fill */
	/* Puts the operands into the options. Returns 0, or -EINVAL with @err set. */
	int (*take_operands)(void *options, int nr, char **operands, struct err *err);
	/* Without take_operands: where the name of the only recording goes, a const char *. */
	size_t file_offset;
	/* Does the command's work. Returns 0 or a negative errno with @err set. */
	int (*run)(const void *options, struct command_io *io, struct err *err);
};

extern const struct profrep_command report_command, diff_command, info_command, files_command,
	processes_command;

/* A command with its options as they were given. */
struct invocation {
	const struct profrep_command *command;
	void *options;
};

/*
 * Reads the command line. Returns OPTIONS_RUN with @invocation set; OPTIONS_DONE; -EINVAL for wrong
 * usage, -ENOENT for a first word that is neither a command nor a file, or -ENOMEM, all with @err
 * set.
 */
int invocation_parse(struct invocation *invocation, int argc, char **argv, struct err *err);

/* Runs the command. Returns 0 or a negative errno with @err set. */
int invocation_run(const struct invocation *invocation, struct command_io *io, struct err *err);

/* Releases the options; all zero is fine. */
void invocation_deinit(struct invocation *invocation);

#endif
