/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of a program's options: common/options.h says what is made from it. */
#ifndef COMMON_OPTION_SPEC_H
#define COMMON_OPTION_SPEC_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
