// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/system/open_files.h"

#include <sys/resource.h>

static struct rlimit inherited; /* all 0: open_files_raise was not called */

void open_files_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	inherited = limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void open_files_restore(void)
{
	if (inherited.rlim_max)
		setrlimit(RLIMIT_NOFILE, &inherited);
}
