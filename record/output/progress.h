/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's voice on stderr while it runs: notes, the headline, a status line on a terminal,
 * and a closing line for each recording. With -q it prints none of these. It also prints errors
 * that do not end the run; main prints the error that does.
 */
#ifndef RECORD_OUTPUT_PROGRESS_H
#define RECORD_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "format/prof.h"
#include "format/runtime_stacks.h"

struct progress {
	FILE *out; /* borrowed */
	bool is_quiet;
	bool has_terminal; /* out is a terminal */
	bool has_line;     /* the terminal shows a status line */
};

/* @out is stderr, but in tests. */
void progress_init(struct progress *progress, FILE *out, bool is_quiet);

/* Prints "profrec: ", the text and a newline. The text tells the user the settings to change. */
void progress_note(struct progress *progress, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints an error that does not end the run, also with -q. */
void progress_error(struct progress *progress, const struct err *err);

/* Prints the headline for the first recording's @meta. The run is to last @duration_ns, 0: any. */
void progress_begin(struct progress *progress, const struct prof_meta *meta, uint64_t duration_ns);

/* Does progress_status print a status line? */
bool progress_has_status(const struct progress *progress);

/* Prints the status line in place of the one before. */
void progress_status(struct progress *progress, uint64_t elapsed_ns, uint64_t taken,
		     uint64_t nr_stacks);

/* How a recording ended. */
struct progress_result {
	const struct prof_end *end;
	const struct runtimes_stacks *runtimes; /* NULL: none */
	uint8_t backend;                        /* enum prof_backend */
	bool is_of_event;                       /* samples are of what need not happen */
	uint64_t nr_stacks;                     /* rows written */
	uint64_t nr_beyond_labels;              /* samples whose labels found no room */
	uint64_t nr_beyond_traces;              /* samples whose trace found none */
	uint64_t bytes;
	const char *output; /* name of the file, or "-" */
	int command_status; /* as of waitpid; 0 also without a command */
};

/*
 * Prints how the command ended, unless it succeeded, and the closing line. On a terminal the next
 * command follows, unless the recording went to standard output.
 */
void progress_end(struct progress *progress, const struct progress_result *result);

/* Takes the status line off the terminal. */
void progress_clear(struct progress *progress);

#endif
