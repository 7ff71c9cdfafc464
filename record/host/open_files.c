// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/open_files.h"

#include <errno.h>
#include <sys/resource.h>

/* The maps, programs and events of a recording of a few CPUs take some 150. */
#define FEW_FILES 256

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

bool open_files_are_few(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_max < FEW_FILES;
}

int open_files_explain(int code, struct err *err)
{
	struct rlimit limit;

	if (code == -ENFILE)
		return err_hint(err, code, "the host has no more open files: raise fs.file-max");
	if (code != -EMFILE || *err->hint || getrlimit(RLIMIT_NOFILE, &limit))
		return code;
	return err_hint(
		err, code,
		"raise the hard limit of open files, %llu (ulimit -n, LimitNOFILE= in a unit of systemd)",
		(unsigned long long)limit.rlim_max);
}
