/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recordings that a command line names: FILE, or @LIST for a file with a name in each line. */
#ifndef REPORT_COMMANDS_RECORDING_NAMES_H
#define REPORT_COMMANDS_RECORDING_NAMES_H

#include "common/err.h"
#include "common/vec.h"

/* An all-zero struct holds no names. */
struct recording_names {
	VEC(const char *) names;  /* at least one */
	VEC(const char *) inputs; /* all files that are read: the lists, too */
	VEC(char *) lists;        /* the texts of lists */
};

/*
 * Makes the names from @nr operands, which the caller keeps. Without operands the name is that of
 * the recorder's default file. "./@x" stands for a file called @x. Returns 0 or a negative errno
 * with @err set. Call recording_names_deinit in both cases.
 */
int recording_names_make(struct recording_names *names, char *const *operands, int nr,
			 struct err *err);

/* Can @word be the name of a recording, where an operand was to stand before it? */
bool may_be_recording(const char *word);

void recording_names_deinit(struct recording_names *names);

#endif
