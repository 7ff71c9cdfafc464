// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/*
 * The id and the device of a line, and what follows its optional fields:
 *
 *	36 35 98:0 /root /mnt rw,noatime shared:1 - ext3 /dev/root rw
 *
 * The kernel escapes blanks in paths, so " - " is the separator alone. There can be very many
 * lines, and sscanf would look for the end of the text in each.
 */
static bool parse_line(const char *line, const char *end, int *id, uint64_t *dev, const char **type)
{
	const char *dash = memmem(line, end - line, " - ", 3);
	unsigned long major, minor;
	char *at;

	if (!dash)
		return false;
	*id = (int)strtol(line, &at, 10);
	strtol(at, &at, 10); /* the parent's id */
	major = strtoul(at, &at, 10);
	if (*at != ':')
		return false;
	minor = strtoul(at + 1, NULL, 10);
	*dev = makedev(major, minor);
	*type = dash + 3;
	return true;
}

bool proc_mounts_has(const char *text, int id)
{
	const char *end, *type;
	uint64_t dev;
	int have;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (parse_line(text, end, &have, &dev, &type) && have == id)
			return true;
	}
	return false;
}

bool proc_mounts_type(const char *text, uint64_t dev, char type[PROC_MOUNT_TYPE_SIZE])
{
	const char *end, *at;
	uint64_t have;
	int id;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (!parse_line(text, end, &id, &have, &at) || have != dev)
			continue;
		snprintf(type, PROC_MOUNT_TYPE_SIZE, "%.*s", (int)strcspn(at, " \n"), at);
		return true;
	}
	return false;
}
