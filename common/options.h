/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table row per option. The parser (getopt_long underneath), --help, the option list of the man
 * page and the completion are all made from the table, so they cannot disagree.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/err.h"
#include "common/option_spec.h"

enum options_result {
	OPTIONS_RUN,  /* go on */
	OPTIONS_DONE, /* --help or --version was printed: exit 0 */
};

/*
 * Fills the option struct at @target from @argv. --help, --version and, for the build,
 * --help-man (the option list in man(7) form) and --help-completion (completion.h) are printed to
 * stdout. *@operands is the index of the first operand in @argv, which getopt has reordered.
 * Returns an options_result, or -EINVAL with @err set, or -ENOMEM.
 */
int options_parse(const struct program_spec *program, int argc, char **argv, void *target,
		  int *operands, struct err *err);

/* The version of both programs. */
#define PROFREC_VERSION "0.1.0"

#endif
