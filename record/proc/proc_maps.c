// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/readfile.h"

/*
 * More than the longest path takes. Each byte of a path may be a newline, which takes four
 * characters.
 */
#define LINE_BYTES_MAX 32768

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
	map->readable = p[0] == 'r';
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

/* @text is whole lines and a NUL. */
static int hand_out(char *text, proc_map_fn fn, void *ctx)
{
	struct proc_map map;

	while (*text) {
		int ret;

		text = proc_map_parse(text, &map);
		if (!text)
			return 0;
		ret = fn(ctx, &map);
		if (ret)
			return ret;
	}
	return 0;
}

int proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx)
{
	bool is_empty = true;

	vec_clear(scratch);
	for (;;) {
		ssize_t n = read_more(fd, scratch);
		char *end;
		int ret;

		if (n < 0)
			return n;
		if (!n)
			return is_empty ? -ESRCH : 0;
		is_empty = false;
		end = memrchr(scratch->data, '\n', scratch->nr);
		if (!end && scratch->nr > LINE_BYTES_MAX)
			return -EBADMSG;
		if (!end)
			continue;
		*end = '\0';
		ret = hand_out(scratch->data, fn, ctx);
		if (ret)
			return ret;
		scratch->nr -= end + 1 - scratch->data;
		memmove(scratch->data, end + 1, scratch->nr);
	}
}
