// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/readfile.h"

#define OFFSETS_BYTES_MAX 4096

struct clock_offsets clock_offsets;

/* The offset of the clock @name in lines of name, seconds and nanoseconds (time_namespaces(7)). */
static int64_t find_offset(const char *text, const char *name)
{
	int64_t seconds, ns;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), " %" SCNd64 " %" SCNd64, &seconds, &ns) == 2)
			return (int64_t)((uint64_t)seconds * NS_PER_S + (uint64_t)ns);
	}
	return 0;
}

struct clock_offsets clock_offsets_parse(const char *text)
{
	return (struct clock_offsets){.monotonic_ns = find_offset(text, "monotonic "),
				      .boottime_ns = find_offset(text, "boottime ")};
}

void clock_offsets_init(void)
{
	char_vec text = {0};

	if (!read_file("/proc/self/timens_offsets", OFFSETS_BYTES_MAX, &text))
		clock_offsets = clock_offsets_parse(text.data);
	vec_free(&text);
}
