/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the recorder's command line. */
#ifndef RECORD_RUN_PARSE_OPTIONS_H
#define RECORD_RUN_PARSE_OPTIONS_H

#include "common/options.h"
#include "record/run/record_options.h"

/*
 * Parses the command line and checks it. Strings point into @argv. Returns an options_result, or
 * -EINVAL or -ENOMEM with @err set. The caller calls record_options_deinit in all cases.
 */
int record_options_parse(struct record_options *options, int argc, char **argv, struct err *err);

#endif
