// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_mounts.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/*
 * The device of a line, and what follows its optional fields:
 *
 *	36 35 98:0 /root /mnt rw,noatime shared:1 - ext3 /dev/root rw
 *
 * The kernel escapes blanks in paths, so " - " is the separator alone.
 */
static bool parse_line(const char *line, const char *end, uint64_t *dev, const char **type)
{
	unsigned int major, minor;
	const char *dash = memmem(line, end - line, " - ", 3);

	if (!dash || sscanf(line, "%*u %*u %u:%u ", &major, &minor) != 2)
		return false;
	*dev = makedev(major, minor);
	*type = dash + 3;
	return true;
}

bool proc_mounts_has(const char *text, int id)
{
	const char *end;
	int have;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (sscanf(text, "%d ", &have) == 1 && have == id)
			return true;
	}
	return false;
}

bool proc_mounts_type(const char *text, uint64_t dev, char type[PROC_MOUNT_TYPE_SIZE])
{
	const char *end, *at;
	uint64_t have;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (!parse_line(text, end, &have, &at) || have != dev)
			continue;
		snprintf(type, PROC_MOUNT_TYPE_SIZE, "%.*s", (int)strcspn(at, " \n"), at);
		return true;
	}
	return false;
}
