/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the commands that compare repeated recordings. */
#ifndef REPORT_COMMANDS_COMPARE_OPTIONS_H
#define REPORT_COMMANDS_COMPARE_OPTIONS_H

#include "common/option_spec.h"

/* Fills a struct compare_request: --by, --per. */
extern const struct option_table compare_options;

#endif
