// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc_maps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Reads a hexadecimal or decimal number that ends with @end. */
static bool take_number(char **p, int base, char end, uint64_t *value)
{
	char *stop;

	*value = strtoull(*p, &stop, base);
	if (stop == *p || *stop != end)
		return false;
	*p = stop + 1;
	return true;
}

/* The kernel writes a newline in a path as \012 and nothing else in octal (seq_file_path). */
static void decode_path(char *path)
{
	char *out = path;

	for (const char *in = path; *in;) {
		if (!strncmp(in, "\\012", 4)) {
			*out++ = '\n';
			in += 4;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
}

/* 7f0a1c000000-7f0a1c021000 r-xp 00028000 fe:00 1234    /usr/lib/libc.so.6 */
char *proc_map_parse(char *line, struct proc_map *map)
{
	char *eol = strchrnul(line, '\n');
	char *next = *eol ? eol + 1 : eol;
	char *p = line;
	uint64_t major, minor;

	*eol = '\0';
	if (!take_number(&p, 16, '-', &map->start) || !take_number(&p, 16, ' ', &map->end))
		return NULL;
	if (strlen(p) < 5 || p[4] != ' ')
		return NULL;
	map->executable = p[2] == 'x';
	p += 5;
	if (!take_number(&p, 16, ' ', &map->pgoff) || !take_number(&p, 16, ':', &major) ||
	    !take_number(&p, 16, ' ', &minor))
		return NULL;
	map->dev = makedev(major, minor);
	map->inode = strtoull(p, &p, 10);
	while (*p == ' ')
		p++;
	decode_path(p);
	map->path = p;
	return next;
}
