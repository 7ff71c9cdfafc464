// SPDX-License-Identifier: GPL-2.0-or-later
/* profrec records where the machine spends CPU time. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/hash.h"
#include "record/run/list_events.h"
#include "record/run/parse_options.h"
#include "record/run/recorder.h"
#include "record/run/repeat.h"
#include "record/host/open_files.h"

/*
 * Exit statuses. With a command, whose status profrec passes on, its own failures have the status
 * that those of env(1) and timeout(1) have.
 */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_OWN_FAILURE = 125 };

/* Otherwise an opened file could get the number of a closed standard descriptor, and messages. */
static void open_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The exit status after @ret, a negative errno. @command is that of a failed exec, or 0. */
static int failed_status(const struct record_options *options, int ret, bool is_usage, int command)
{
	if (command)
		return command;
	if (options->command)
		return EXIT_OWN_FAILURE;
	return is_usage && ret != -ENOMEM ? EXIT_USAGE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct record_options options;
	struct err err = {0};
	int status = EXIT_OK;
	bool is_usage;
	int ret;

	open_standard_fds();
	clock_offsets_init();
	hash_seed_init();
	ret = record_options_parse(&options, argc, argv, &err);
	is_usage = ret < 0;
	if (ret == OPTIONS_RUN && options.list)
		ret = list_events(&options, &err);
	else if (ret == OPTIONS_RUN)
		ret = options.repeat ? repeat_recordings(&options, &status, &err)
				     : recorder_run(&options, &status, &err);
	if (ret < 0) {
		status = failed_status(&options, ret, is_usage, status);
		open_files_explain(ret, &err);
		err_print(&err, "profrec", stderr);
	}
	record_options_deinit(&options);
	return status;
}
