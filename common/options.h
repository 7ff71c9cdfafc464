/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table row per option. The parser (getopt_long underneath), --help, the option list of the man
 * page and the completion are all made from the table, so they cannot disagree.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/err.h"

enum option_type {
	OPTION_FLAG,   /* bool * */
	OPTION_STRING, /* const char ** */
	OPTION_U64,    /* uint64_t *, within [min, max] */
	OPTION_PIDS,   /* u32_vec *: N[,N...] */
	OPTION_TIDS,   /* the same, of threads */
	OPTION_CPUS,   /* u32_vec *: N[,N|A-B...] */
};

struct option_spec {
	const char *name; /* long name, without the dashes */
	char short_name;  /* 0: none */
	enum option_type type;
	size_t offset; /* of the target in the program's option struct */
	const char *metavar;
	unsigned long long min, max; /* OPTION_U64 */
	const char *help;            /* one sentence, no full stop */
	int exclusive;               /* two given options of the same non-zero group are an error */
};

struct program_spec {
	const char *name;
	const char *summary;  /* the NAME line of the man page */
	const char *usage;    /* what follows the name in the usage line */
	const char *examples; /* lines of "command # what it does" */
	const struct option_spec *options;
	size_t nr_options;
	bool takes_command; /* what follows -- is one */
};

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
