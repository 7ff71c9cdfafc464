/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of options for several commands. Each command includes the tables that it needs. */
#ifndef REPORT_COMMANDS_SHARED_OPTIONS_H
#define REPORT_COMMANDS_SHARED_OPTIONS_H

#include "common/option_spec.h"

/* Makes a row for the bool @field of the struct @filled. */
#define OPTION_FLAG_ROW(filled, ...) OPTION_ROW(filled, OPTION_FLAG, __VA_ARGS__)

/* The option --output of @filled, for a @kind of place: "FILE". */
#define OPTION_OUTPUT_ROW(filled, kind, text)                                                      \
	OPTION_ROW(filled, OPTION_STRING, output, "output", 'o', .metavar = kind, .help = text)

/* Fills a struct view: the parts of frames and stacks to show. */
extern const struct option_table frame_options;

/* Fills a struct view: the parts of frames that debug information knows. */
extern const struct option_table debug_options;

/* Fills a struct view: the look of names. */
extern const struct option_table name_options;

/* Fills a struct view: the unit of counts. */
extern const struct option_table unit_options;

/* Fills a struct view: the owners that stacks begin with. */
extern const struct option_table lead_options;

/* Fills a struct view: the label of requests to count by. */
extern const struct option_table label_options;

/* Fills a struct view: the side to show. */
extern const struct option_table side_options;

/* Fills a const char *, which stays NULL without the option: --event. */
extern const struct option_table event_options;

/* Fills a bool: --json. */
extern const struct option_table json_options;

/* Fills a struct timespan: --from and --to. */
extern const struct option_table timespan_options;

/* Fills a struct timespan: --threads. */
extern const struct option_table thread_options;

/* Fill a struct sample_filter: the threads and processes of samples, and their stacks. */
extern const struct option_table owner_options, stack_options;

/* Fills a struct search_choice: --symfs, --debug-dir. */
extern const struct option_table search_options;

/* Fills a struct source_dirs: --source. */
extern const struct option_table source_options;

/* A table that fills the @member of the struct @filled. */
#define OPTION_PART(filled, table, member)                                                         \
	{                                                                                          \
		&(table), offsetof(filled, member)                                                 \
	}

/* The tables of commands that show stacks. The member request of @filled is a source_request. */
#define STACK_OPTION_PARTS(filled)                                                                 \
	OPTION_PART(filled, debug_options, request.view),                                          \
		OPTION_PART(filled, name_options, request.view),                                   \
		OPTION_PART(filled, side_options, request.view),                                   \
		OPTION_PART(filled, event_options, request.event),                                 \
		OPTION_PART(filled, timespan_options, request.span),                               \
		OPTION_PART(filled, owner_options, request.filter),                                \
		OPTION_PART(filled, stack_options, request.filter),                                \
		OPTION_PART(filled, search_options, request.search)

#endif
