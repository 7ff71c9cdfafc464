// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep: reports a recording of profrec. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/hash.h"
#include "common/options.h"
#include "report/commands/commands.h"

enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILURE = 1,
	STATUS_USAGE = 2,
	STATUS_INCOMPLETE = 3, /* the good part of the recording has been printed */
	/* What the user wants a comparison to fail on: */
	STATUS_CHANGED = 4,
	STATUS_SLOWER = 5,
	STATUS_BUDGET = 6,
	STATUS_UNKNOWN = 7, /* too few recordings to tell */
};

#define HELP_BYTES_MAX (1 << 16)

static int flush_help(struct err *err)
{
	int ret = fflush(stdout) ? -errno : ferror(stdout) ? -EIO : 0;

	if (!ret)
		return STATUS_OK;
	err_set(err, ret, "failed to write the help: %s", strerror(-ret));
	return STATUS_FAILURE;
}

static int run_command(const struct invocation *invocation, struct err *err)
{
	static const int of_limits[] = {
		[LIMITS_CHANGED] = STATUS_CHANGED,
		[LIMITS_SLOWER] = STATUS_SLOWER,
		[LIMITS_BUDGET] = STATUS_BUDGET,
		[LIMITS_UNKNOWN] = STATUS_UNKNOWN,
	};
	struct command_io io = {.out.fd = STDOUT_FILENO, .warnings.fd = STDERR_FILENO};
	int ret = invocation_run(invocation, &io, err);

	textbuf_flush(&io.warnings);
	textbuf_deinit(&io.out);
	textbuf_deinit(&io.warnings);
	if (ret)
		return STATUS_FAILURE;
	if (io.limits != LIMITS_KEPT)
		return of_limits[io.limits];
	return io.is_incomplete ? STATUS_INCOMPLETE : STATUS_OK;
}

int main(int argc, char **argv)
{
	static char help[HELP_BYTES_MAX];
	struct invocation invocation = {0};
	struct err err = {0};
	int ret, status;

	/* Beyond the limit of a file's size, a write fails as on a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* The help is written as a whole, by flush_help, which knows why that fails. */
	setvbuf(stdout, help, _IOFBF, sizeof(help));
	hash_seed_init();
	ret = invocation_parse(&invocation, argc, argv, &err);
	if (ret == OPTIONS_DONE)
		status = flush_help(&err);
	else if (ret)
		status = ret == -EINVAL ? STATUS_USAGE : STATUS_FAILURE;
	else
		status = run_command(&invocation, &err);
	if (status == STATUS_FAILURE || status == STATUS_USAGE)
		err_print(&err, "profrep", stderr);
	invocation_deinit(&invocation);
	return status;
}
