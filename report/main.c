// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep: reports a recording of profrec. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "report/report.h"

enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILURE = 1,
	STATUS_USAGE = 2,
	STATUS_INCOMPLETE = 3, /* what could be read of the recording has been printed */
};

int main(int argc, char **argv)
{
	struct textbuf out = {.fd = STDOUT_FILENO}, warnings = {.fd = STDERR_FILENO};
	struct report_options opts;
	bool is_incomplete = false;
	struct err err = {0};
	int ret = report_options_parse(argc, argv, &opts, &err);

	if (ret < 0) {
		err_print(&err, "profrep", stderr);
		return ret == -ENOMEM ? STATUS_FAILURE : STATUS_USAGE;
	}
	if (ret == OPTIONS_DONE)
		return fflush(stdout) ? STATUS_FAILURE : STATUS_OK;
	ret = report_run(&opts, &out, &warnings, &is_incomplete, &err);
	textbuf_flush(&warnings);
	textbuf_deinit(&out);
	textbuf_deinit(&warnings);
	if (ret) {
		err_print(&err, "profrep", stderr);
		return STATUS_FAILURE;
	}
	return is_incomplete ? STATUS_INCOMPLETE : STATUS_OK;
}
