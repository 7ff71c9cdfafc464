// SPDX-License-Identifier: GPL-2.0-or-later
/* profrec records where the machine spends CPU time. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/err.h"
#include "common/hash.h"
#include "record/parse_options.h"
#include "record/recorder.h"
#include "record/repeat.h"

/* Exit statuses. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

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

int main(int argc, char **argv)
{
	struct record_options options;
	struct err err = {0};
	int status = EXIT_OK;
	int ret;

	open_standard_fds();
	hash_seed_init();
	ret = record_options_parse(&options, argc, argv, &err);
	if (ret == OPTIONS_RUN) {
		ret = options.repeat ? repeat_recordings(&options, &err)
				     : recorder_run(&options, &err);
		status = ret ? EXIT_FAILED : EXIT_OK;
	} else if (ret < 0) {
		status = ret == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
	}
	if (status)
		err_print(&err, "profrec", stderr);
	record_options_deinit(&options);
	return status;
}
