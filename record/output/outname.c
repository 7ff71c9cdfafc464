// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/outname.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

bool outname_is_pattern(const char *name)
{
	return strchr(name, '%');
}

bool outname_has_pattern_dir(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && memchr(name, '%', slash - name);
}

const char *outname_find_bad(const char *pattern)
{
	static const char conversions[] = "%aAbBCdeFgGhHIjklmMpPRsSTuUVwWyYzZ";

	for (const char *p = pattern; (p = strchr(p, '%')); p += 2)
		if (!p[1] || !strchr(conversions, p[1]))
			return p;
	return NULL;
}

int outname_expand(const char *pattern, time_t when, char **name)
{
	char text[PATH_MAX];
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(text, sizeof(text), pattern, &tm))
		return -ENAMETOOLONG;
	*name = strdup(text);
	return *name ? 0 : -ENOMEM;
}

char *outname_number(const char *name, unsigned int number)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	const char *dot = strrchr(base, '.');
	const char *end = dot && dot != base ? dot : base + strlen(base);
	char *numbered;

	if (!number)
		return strdup(name);
	if (asprintf(&numbered, "%.*s_%u%s", (int)(end - name), name, number, end) < 0)
		return NULL;
	return numbered;
}
