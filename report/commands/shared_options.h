/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that several commands take: tables, which a command includes. */
#ifndef REPORT_COMMANDS_SHARED_OPTIONS_H
#define REPORT_COMMANDS_SHARED_OPTIONS_H

#include "common/option_spec.h"

/* A row for the bool @field of the struct @filled. */
#define OPTION_FLAG_ROW(filled, field, long_name, short_char, ...)                                 \
	{                                                                                          \
		.name = long_name, .short_name = short_char, .type = OPTION_FLAG,                  \
		.offset = offsetof(filled, field), __VA_ARGS__                                     \
	}

/* Of struct view: what is shown of frames and stacks. */
extern const struct option_table frame_options;

/* Of struct view: whose frames are shown. */
extern const struct option_table side_options;

/* Of struct timespan: --from and --to. */
extern const struct option_table timespan_options;

/* Of a const char *, NULL without the option: --symfs. */
extern const struct option_table symfs_options;

#endif
