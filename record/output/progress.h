/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder says on stderr: the headline, a status line on a terminal, the closing line. */
#ifndef RECORD_OUTPUT_PROGRESS_H
#define RECORD_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/prof.h"

/* Prints the headline, and a status line below it from then on if stderr is a terminal. */
void progress_begin(const struct prof_meta *meta);

/* Is there a status line to refresh? */
bool progress_has_status(void);

void progress_status(uint64_t elapsed_ns, uint64_t taken, uint64_t nr_stacks);

struct progress_result {
	const struct prof_end *end;
	uint64_t nr_stacks; /* rows written */
	uint64_t bytes;
	const char *output;
	int command_status; /* as of waitpid; 0 also without a command */
};

/* Clears the status line and prints the closing line. */
void progress_end(const struct progress_result *result);

/* Says that a CPU went offline, or came online, and what follows. */
void progress_cpu(uint32_t cpu, bool is_online);

/* Clears the status line, before an error is printed. */
void progress_clear(void);

#endif
