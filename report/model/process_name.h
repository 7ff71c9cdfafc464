/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name by which a process is shown. Its threads have names of their own, which say little about
 * the process, so none of them stands for it.
 */
#ifndef REPORT_MODEL_PROCESS_NAME_H
#define REPORT_MODEL_PROCESS_NAME_H

#include <string.h>

/*
 * Returns the @name of the process, that of its executable at the path @exe if it has none, or ""
 * if neither is known. The result is a part of an argument.
 */
static inline const char *process_name(const char *name, const char *exe)
{
	const char *slash = strrchr(exe, '/');

	if (name[0])
		return name;
	return slash ? slash + 1 : exe;
}

#endif
