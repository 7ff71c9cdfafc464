/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of profrep.
 */
#ifndef REPORT_REPORT_OPTIONS_H
#define REPORT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "common/options.h"
#include "report/model/timespan.h"
#include "report/view/view.h"

struct report_options {
	struct view view;
	bool diff, normalize, info, dsos, processes, timestamp;
	const char *from, *to; /* as given; NULL: not */
	struct timespan span;
	const char *symfs;    /* NULL: none */
	const char *files[2]; /* recordings; the second with diff only */
};

/*
 * Reads the command line, as options_parse, and checks what options mean together. Returns an
 * options_result, or -EINVAL or -ENOMEM with @err set.
 */
int report_options_parse(int argc, char **argv, struct report_options *opts, struct err *err);

#endif
